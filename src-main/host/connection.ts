// One connection after its handshake: requests in, answers and events out, and who it is that calls.

import type { Caller, ProcessStep } from '../../src-shared/client.ts'
import { UNREGISTERED } from '../../src-shared/client.ts'
import type { RpcFault } from '../../src-shared/rpc.ts'
import type { Channel } from '../link/channel.ts'
import { readClientMessage } from '../link/messages.ts'

export interface Peer {
  /** Nearest first: the connecting process itself, then what started it. */
  steps: ProcessStep[]
  /** False when the chain begins at a pid that the caller merely declared. */
  proven: boolean
}

/** Whose process it is: null for a user we cannot see; `gone` when nobody is there any more; `unknown` where the system does not tell. */
export type PeerUser = 'own' | 'gone' | 'unknown' | { uid: number | null }

export interface Inspected extends Peer {
  user: PeerUser
}

export interface Connection {
  readonly id: string
  /** `cli` only with the command line's own key. */
  readonly access: 'client' | 'cli'
  /** As of now: a program recorded meanwhile counts. */
  readonly caller: Caller
  send: (event: string, data: unknown) => void
  close: () => void
}

export interface RequestContext {
  /** Aborted when the caller cancels or its connection ends. */
  signal: AbortSignal
  waiting: (message: string) => void
}

export interface Handler {
  /** Rejects with an error that carries a `fault`; anything else is told to the caller as an internal error. */
  request: (connection: Connection, method: string, params: unknown, context: RequestContext) => Promise<unknown>
  opened: (connection: Connection) => void
  closed: (connection: Connection) => void
}

/** Above this much unread output a peer's input waits: it pays for its slowness itself. */
const QUEUE_BYTES = 1 << 20
/** A guard for our memory alone, far above the limits that clients are told about. */
const MAX_IN_FLIGHT = 16_384

/** The program behind a step of the chain. What a caller merely declares about itself names no program. */
export function programAt({ steps, proven }: Peer, index: number): { program: string | null; process: string | null } {
  const step = proven ? steps[index] : undefined
  if (step?.exe == null) return { program: null, process: null }
  return { program: step.exe, process: `${step.pid} ${step.started ?? ''}` }
}

export function describeCaller(
  connection: string,
  clientId: string | null,
  known: { name: string; program: string | null } | null,
  peer: Peer,
): Caller {
  const common = { connection, peer: peer.steps }
  if (clientId === null) return { ...common, clientId: UNREGISTERED, clientName: UNREGISTERED, standing: 'unverified' }
  // What launched the process that holds the connection.
  const who = programAt(peer, 1)
  const standing = who.program !== null && who.program === known?.program ? 'verified' : 'new program'
  return { ...common, clientId, clientName: known?.name ?? clientId, standing, ...who }
}

/** Serves the channel until it ends. Requests wait until `ready`: what the process is must be known before it is served. */
export async function serveConnection(channel: Channel, connection: Connection, handler: Handler, ready: Promise<void>): Promise<void> {
  const inFlight = new Map<number, AbortController>()

  async function answer(id: number, method: string, params: unknown): Promise<void> {
    if (inFlight.has(id)) return channel.destroy()
    const control = new AbortController()
    if (inFlight.size >= MAX_IN_FLIGHT) return send({ id, error: { code: 'refused', message: 'Too many requests at once.' } })
    inFlight.set(id, control)
    try {
      await ready
      const waiting = (message: string) => {
        if (!control.signal.aborted) send({ waiting: id, message })
      }
      const result = await handler.request(connection, method, params, { signal: control.signal, waiting })
      send({ id, result: result ?? null })
    } catch (error) {
      send({ id, error: faultOf(error) })
    } finally {
      inFlight.delete(id)
    }
  }

  function send(message: object): void {
    channel.send(message)
    if (channel.queued() > QUEUE_BYTES) channel.pause()
  }

  channel.onDrain(channel.resume)
  channel.listen((raw) => {
    const message = readClientMessage(raw)
    if (message === null) channel.destroy()
    else if ('cancel' in message) inFlight.get(message.cancel)?.abort()
    else void answer(message.id, message.method, message.params)
  })
  await channel.closed
  for (const control of inFlight.values()) control.abort()
}

/** Events for a peer that does not read: the latest of each kind is enough, since all of them only say "ask again". */
export function createEventSender(channel: Channel): (event: string, data: unknown) => void {
  const held = new Map<string, unknown>()
  channel.onDrain(() => {
    for (const [event, data] of held) channel.send({ event, data })
    held.clear()
  })
  return (event, data) => {
    if (channel.queued() > QUEUE_BYTES) held.set(event, data)
    else channel.send({ event, data })
  }
}

/** The text of an unexpected error stays here: it may quote what was sent. */
function faultOf(error: unknown): RpcFault {
  const fault = typeof error === 'object' && error !== null && 'fault' in error ? error.fault : null
  // Whatever carries a fault has taken it from the dispatcher, the only maker of faults.
  return fault ? (fault as RpcFault) : { code: 'internal', message: 'Countersign failed at this request; its log says more.' }
}
