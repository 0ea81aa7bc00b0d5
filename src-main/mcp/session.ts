// What one connection remembers: the negotiated revision, what runs, and who wants to hear of changes. Over HTTP every
// request gets a session of its own.

import type { Backend } from './backend.ts'
import type { JsonObject } from './json.ts'
import type { Id, Notification } from './jsonrpc.ts'
import { UNSTATED, type Revision } from './revisions.ts'

export interface ServerInfo {
  name: string
  title: string
  version: string
}

/** What does not change from connection to connection. */
export interface Core {
  /** null: no host. */
  backend: () => Backend | null
  serverInfo: ServerInfo
  maxInFlight: number
  /** Told of every error that is our own fault. It may hold a value in its message: do not print that. */
  onBug: (error: unknown) => void
  /** Whether a client of the old era can be told of changes unasked. Over HTTP it cannot: it would have to hold a stream open. */
  announces: boolean
}

/** Where one message came from. */
export interface Link {
  notify: (message: Notification) => void
  /** Aborted when the caller no longer waits for this one message. */
  signal?: AbortSignal
}

/** A request that waits for the host. */
export interface Running {
  signal: AbortSignal
  /** False once an answer, or progress, would come too late. */
  wanted: boolean
  /** The client no longer waits: its request ends unanswered, at once, however long the work behind it takes to stop. */
  hangUp: () => void
}

export interface Listener {
  notify: (message: Notification) => void
  listChanged: boolean
  uris: ReadonlySet<string>
  /** Ends the request that opened it. */
  end: () => void
}

export interface Session {
  revision: Revision
  says: string | null
  /** Once a client has confirmed the old handshake it may be told of changes unasked. */
  handshake: 'none' | 'offered' | 'confirmed'
  subscribed: Set<string>
  listeners: Map<Id, Listener>
  /** By id, typed: 1 and "1" are two requests. */
  inFlight: Map<Id, Running>
  /** Counts cancelled calls too, until they are really over. */
  running: number
}

export function createSession(revision: Revision = UNSTATED): Session {
  return {
    revision,
    says: null,
    handshake: 'none',
    subscribed: new Set(),
    listeners: new Map(),
    inFlight: new Map(),
    running: 0,
  }
}

export interface Request {
  id: Id
  method: string
  params: JsonObject
  revision: Revision
  says: string | null
}

export interface Context {
  core: Core
  session: Session
  link: Link
  request: Request
}
