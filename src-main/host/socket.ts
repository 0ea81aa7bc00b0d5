// The local socket: who may come in, how many strangers, and for how long.

import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { CLI_CLIENT_ID } from '../../src-shared/client.ts'
import { acceptPeer, createPatience, type Accepted, type Keys } from '../link/accept.ts'
import { ChannelClosed, openChannel, type Channel } from '../link/channel.ts'
import { loadProofs } from '../link/proof.ts'
import {
  createEventSender,
  describeCaller,
  serveConnection,
  type Connection,
  type Handler,
  type Inspected,
  type Peer,
} from './connection.ts'
import { messageOf } from './errors.ts'
import { RpcError } from './rpc.ts'
import { bindSocket, type BoundSocket } from './socket-file.ts'

export type { Connection, Handler, Inspected, RequestContext } from './connection.ts'

export interface Registry extends Keys {
  describe: (clientId: string) => { name: string; program: string | null } | null
  /** A key was used: the generations before it are no longer valid. */
  proved: (clientId: string, generation: number) => void
}

export interface SocketOptions {
  /** The caller holds the folder's lock. */
  path: string
  registry: Registry
  inspect: (socket: Socket, declared: { pid: number; ppid: number }) => Promise<Inspected>
  handler: Handler
  /** Why the socket may not be put back now; null: it may. */
  folderTrouble?: () => string | null
  /** The socket vanished and cannot be put back; null when it could at last. */
  onTrouble?: (sentence: string | null) => void
  /** The process at the other end is not ours, and was cut off; null: nor may we see whose it is. */
  onOtherUser?: (uid: number | null) => void
  /** Letting somebody in failed for a reason of our own; that one was turned away. */
  reportBug?: (error: unknown) => void
}

export interface SocketServer {
  /** Ends every connection of a client whose registration was revoked. */
  disconnect: (clientId: string) => void
  close: () => Promise<void>
}

const HANDSHAKE_MS = 5000
/** Unfinished handshakes and idle callers without a registration. */
const MAX_STRANGERS = 64
const LOOK_EVERY_MS = 1000
const LAST_ANSWERS_MS = 800

interface Visitor {
  clientId: string | null
  channel: Channel
  peer: Peer
  underWay: Set<Promise<unknown>>
  /** No further request of it is served. */
  dismissed: boolean
}

export async function serveSocket(options: SocketOptions): Promise<SocketServer> {
  const { path, registry, inspect, handler, folderTrouble = () => null, onTrouble, onOtherUser, reportBug } = options
  const proofs = await loadProofs()
  const patience = createPatience()
  const visits = new Map<Channel, Promise<void>>()
  /** In the order they came: the oldest makes room for the next. */
  const strangers = new Set<Channel>()
  const open = new Map<string, Visitor>()

  function makeRoom(): void {
    for (const oldest of strangers) {
      if (strangers.size <= MAX_STRANGERS) return
      strangers.delete(oldest)
      oldest.destroy()
    }
  }

  function receive(socket: Socket): void {
    const channel = openChannel(socket)
    strangers.add(channel)
    makeRoom()
    const visit = welcome(socket, channel).finally(() => visits.delete(channel))
    visits.set(channel, visit)
  }

  async function welcome(socket: Socket, channel: Channel): Promise<void> {
    const timer = setTimeout(channel.destroy, HANDSHAKE_MS)
    try {
      const accepted = await acceptPeer(channel, registry, proofs, patience)
      clearTimeout(timer)
      if (accepted !== null) await admit(socket, channel, accepted)
    } catch (error) {
      if (!(error instanceof ChannelClosed)) reportBug?.(error)
      channel.destroy()
    } finally {
      clearTimeout(timer)
      await channel.closed
      strangers.delete(channel)
    }
  }

  async function admit(socket: Socket, channel: Channel, { clientId, generation, kind, declared }: Accepted): Promise<void> {
    if (clientId !== null) strangers.delete(channel)
    const id = randomUUID()
    const entry: Visitor = { clientId, channel, peer: { steps: [], proven: false }, underWay: new Set(), dismissed: false }
    const connection: Connection = {
      id,
      access: kind === 'cli' && clientId === CLI_CLIENT_ID ? 'cli' : 'client',
      get caller() {
        return describeCaller(id, clientId, clientId === null ? null : registry.describe(clientId), entry.peer)
      },
      send: createEventSender(channel),
      close: channel.close,
    }
    open.set(id, entry)
    let opened = false
    const ready = (async () => {
      const { user, ...peer } = await inspect(socket, declared)
      if (user === 'gone' || typeof user === 'object') {
        channel.destroy()
        if (user !== 'gone') onOtherUser?.(user.uid)
        throw new ChannelClosed('Whoever is at the other end is not served.')
      }
      entry.peer = peer
      if (!open.has(id)) return
      if (clientId !== null) registry.proved(clientId, generation)
      opened = true
      handler.opened(connection)
    })()
    ready.catch((error: unknown) => {
      if (!(error instanceof ChannelClosed)) reportBug?.(error)
      channel.destroy()
    })
    const serving = serveConnection(channel, connection, attend(entry), ready)
    channel.send({ welcome: true })
    await serving
    open.delete(id)
    if (opened) handler.closed(connection)
  }

  /** A caller without a registration counts as a stranger whenever it has nothing under way. */
  function attend(visitor: Visitor): Handler {
    const { clientId, channel, underWay } = visitor
    return {
      ...handler,
      async request(connection, method, params, context) {
        if (visitor.dismissed) throw new RpcError('refused', 'Countersign ended this connection; repeat the call.')
        const answer = handler.request(connection, method, params, context)
        underWay.add(answer)
        if (clientId === null) strangers.delete(channel)
        try {
          return await answer
        } finally {
          underWay.delete(answer)
          if (clientId === null && underWay.size === 0 && open.has(connection.id)) strangers.add(channel)
          makeRoom()
        }
      },
    }
  }

  /** Serves nothing more, but what is under way may still be answered: whoever is cut off cannot know what was done. */
  async function dismiss(visitor: Visitor): Promise<void> {
    visitor.dismissed = true
    let timer: NodeJS.Timeout | undefined
    const tooLate = new Promise((resolve) => (timer = setTimeout(resolve, LAST_ANSWERS_MS)))
    await Promise.race([Promise.allSettled(visitor.underWay), tooLate])
    clearTimeout(timer)
    // The answers are written in the turns that follow.
    await new Promise(setImmediate)
    visitor.channel.close()
  }

  let bound: BoundSocket = await bindSocket(path, receive)
  let troubled = false
  let looking: Promise<void> | null = null

  /** Somebody may clean up our folder; whoever is connected stays so, and those who come find the socket again. */
  async function putBack(): Promise<void> {
    const trouble = folderTrouble()
    if (trouble === null && bound.inPlace()) return troubled ? well() : undefined
    try {
      if (trouble !== null) throw new Error(trouble)
      const next = await bindSocket(path, receive)
      // Not awaited: it ends when its last connection does.
      void bound.abandon()
      bound = next
      if (troubled) well()
    } catch (error) {
      if (!troubled) onTrouble?.(`AI clients cannot reach Countersign: ${messageOf(error)}`)
      troubled = true
    }
  }
  function well(): void {
    troubled = false
    onTrouble?.(null)
  }
  const watch = setInterval(() => {
    looking ??= putBack().finally(() => (looking = null))
  }, LOOK_EVERY_MS)
  watch.unref()

  return {
    disconnect(clientId) {
      for (const visitor of open.values()) if (visitor.clientId === clientId) void dismiss(visitor)
    },
    async close() {
      clearInterval(watch)
      await looking
      await Promise.all([...open.values()].map(dismiss))
      const ending = [...visits.values()]
      for (const channel of visits.keys()) channel.close()
      await Promise.all([bound.close(), ...ending])
    },
  }
}
