// The client's end of the link: prove and be proven, then requests and their answers. Nothing but nonces is sent before the
// host has proven that it holds the registration's key.

import net from 'node:net'
import type { RpcFault } from '../../src-shared/rpc.ts'
import { openChannel, type Channel } from './channel.ts'
import {
  LINK_VERSION,
  readChallenge,
  readHostMessage,
  readRefusal,
  writeBytes,
  type HostMessage,
  type PeerKind,
  type Refusal,
} from './messages.ts'
import { loadProofs } from './proof.ts'
import { socketState } from './trust.ts'

/**
 * `absent`: nobody listens. `unsafe`: what lies at the socket's path may be somebody else's. `silent`: somebody listens but
 * does not answer. `lost`: the link broke after it had been made. The others are the host's own refusals.
 */
export type LinkErrorCode = Refusal | 'absent' | 'unsafe' | 'silent' | 'lost'

export class LinkError extends Error {
  override name = 'LinkError'
  readonly code: LinkErrorCode
  /** Somebody listened, and ended the connection without a word. */
  readonly wasEnded: boolean
  constructor(code: LinkErrorCode, message: string, { wasEnded = false } = {}) {
    super(message)
    this.code = code
    this.wasEnded = wasEnded
  }
}

/** The host's answer to a request was an error. */
export class RequestFailed extends Error {
  override name = 'RequestFailed'
  readonly fault: RpcFault
  constructor(fault: RpcFault) {
    super(fault.message)
    this.fault = fault
  }
}

export interface ConnectOptions {
  socketPath: string
  client: { id: string; key: Buffer } | null
  kind: PeerKind
  timeoutMs: number
}

export interface RequestOptions {
  /** Tells the host that nobody waits any more; the request rejects at once with the signal's reason. */
  signal?: AbortSignal
  /** The call waits for a person. */
  onWaiting?: (message: string) => void
}

export interface HostLink {
  /** Rejects with RequestFailed, or with LinkError `lost` when the link breaks first. Never sent a second time. */
  request: (method: string, params: unknown, options?: RequestOptions) => Promise<unknown>
  onEvent: (listener: (event: string, data: unknown) => void) => void
  onClose: (listener: () => void) => void
  /** Bytes that wait for the host to read. */
  queued: () => number
  /** Whatever was queued has gone out. */
  onDrain: (listener: () => void) => void
  close: () => void
}

export async function connectHost(options: ConnectOptions): Promise<HostLink> {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), options.timeoutMs)
  try {
    return await connect(options, limit.signal)
  } finally {
    clearTimeout(timer)
  }
}

async function connect({ socketPath, client, kind }: ConnectOptions, limit: AbortSignal): Promise<HostLink> {
  // A named pipe lies in no folder; Windows gives it to whoever made it first, and only the proof tells.
  if (process.platform !== 'win32') {
    const state = socketState(socketPath)
    if (state.is === 'absent') throw new LinkError('absent', 'Nobody listens.')
    if (state.is === 'refused') throw new LinkError('unsafe', state.message)
  }
  const proofs = await loadProofs()
  const channel = openChannel(await openSocket(socketPath, limit))
  const giveUp = () => channel.destroy()
  limit.addEventListener('abort', giveUp)
  try {
    const nc = proofs.nonce()
    channel.send({ hello: { v: LINK_VERSION, client: client?.id ?? null, nc: writeBytes(nc), kind } })
    const challenge = readChallenge(unlessRefused(await channel.receive()))
    if (challenge === null) throw new LinkError('refused', 'The answer came from something that is not Countersign.')
    const { ns, proof, former } = challenge
    if (client !== null) {
      const expected = proofs.make(client.key, 'host', nc, ns)
      if (!proofs.same(proof, expected) && !proofs.same(former, expected)) {
        throw new LinkError('refused', 'The host does not know this registration.')
      }
    }
    const ours = client && writeBytes(proofs.make(client.key, 'client', nc, ns))
    channel.send({ proof: ours, pid: process.pid, ppid: process.ppid })
    const last = unlessRefused(await channel.receive())
    if (last['welcome'] !== true) throw new LinkError('refused', 'The answer came from something that is not Countersign.')
    return createLink(channel)
  } catch (error) {
    channel.destroy()
    if (error instanceof LinkError) throw error
    if (limit.aborted) throw new LinkError('silent', 'Countersign does not answer.')
    throw new LinkError('absent', 'Countersign ended the connection.', { wasEnded: true })
  } finally {
    limit.removeEventListener('abort', giveUp)
  }
}

function unlessRefused<M extends Record<string, unknown>>(message: M): M {
  const refusal = readRefusal(message)
  if (refusal !== null) throw new LinkError(refusal.code, refusal.message)
  return message
}

/** As much as Node reads from a socket at once. */
const BUFFER_BYTES = 64 * 1024

/** Reads into one buffer again and again, like the bridge's standard input, so a chunk is good only until its `data` event is over. */
function connectReusing(path: string): net.Socket {
  const onread = {
    buffer: Buffer.allocUnsafeSlow(BUFFER_BYTES),
    callback: (bytes: number, buffer: Uint8Array) => socket.emit('data', buffer.subarray(0, bytes)),
  }
  const socket: net.Socket = net.connect({ path, onread })
  return socket
}

function openSocket(socketPath: string, limit: AbortSignal): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectReusing(socketPath)
    const giveUp = () => socket.destroy(new Error('too slow'))
    const done = () => {
      limit.removeEventListener('abort', giveUp)
      socket.off('error', failed)
    }
    const failed = (error: Error) => {
      done()
      reject(limit.aborted ? new LinkError('silent', 'Countersign does not answer.') : new LinkError('absent', error.message))
    }
    limit.addEventListener('abort', giveUp)
    socket.once('error', failed)
    socket.once('connect', () => {
      done()
      resolve(socket)
    })
  })
}

interface Pending {
  resolve: (result: unknown) => void
  reject: (error: Error) => void
  onWaiting: ((message: string) => void) | undefined
}

function createLink(channel: Channel): HostLink {
  const pending = new Map<number, Pending>()
  const eventListeners: ((event: string, data: unknown) => void)[] = []
  /** Events may come on the heels of the welcome, before anybody could listen. */
  let early: { event: string; data: unknown }[] = []
  const closeListeners: (() => void)[] = []
  let lastId = 0
  let open = true

  function settle(id: number): Pending | undefined {
    const found = pending.get(id)
    pending.delete(id)
    return found
  }

  function tell(message: { event: string; data: unknown }): void {
    if (eventListeners.length === 0) early.push(message)
    for (const listener of eventListeners) listener(message.event, message.data)
  }

  function take(message: HostMessage): void {
    if ('event' in message) tell(message)
    else if ('waiting' in message) pending.get(message.waiting)?.onWaiting?.(message.message)
    else if ('error' in message) settle(message.id)?.reject(new RequestFailed(message.error))
    else settle(message.id)?.resolve(message.result)
  }

  channel.listen((raw) => {
    const message = readHostMessage(raw)
    if (message === null) channel.destroy()
    else take(message)
  })
  void channel.closed.then(() => {
    open = false
    for (const { reject } of pending.values()) reject(new LinkError('lost', 'The link to Countersign broke.'))
    pending.clear()
    for (const listener of closeListeners) listener()
  })

  return {
    request(method, params, { signal, onWaiting } = {}) {
      return new Promise((resolve, reject) => {
        if (!open) return reject(new LinkError('lost', 'The link to Countersign broke.'))
        if (signal?.aborted) return reject(signal.reason as Error)
        const id = ++lastId
        const abandon = () => {
          if (settle(id) === undefined) return
          channel.send({ cancel: id })
          reject(signal?.reason as Error)
        }
        const done = () => signal?.removeEventListener('abort', abandon)
        pending.set(id, {
          resolve: (result) => (done(), resolve(result)),
          reject: (error) => (done(), reject(error)),
          onWaiting,
        })
        signal?.addEventListener('abort', abandon)
        channel.send({ id, method, params })
      })
    },
    onEvent(listener) {
      eventListeners.push(listener)
      const missed = early
      early = []
      missed.forEach(tell)
    },
    onClose(listener) {
      if (open) closeListeners.push(listener)
      else queueMicrotask(listener)
    },
    queued: channel.queued,
    onDrain: channel.onDrain,
    close: channel.close,
  }
}
