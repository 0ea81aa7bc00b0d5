import type { RpcFault } from '../../src-shared/rpc.ts'
import { RPC_PROTOCOL } from '../../src-shared/login.ts'
import { pageToken, readSession } from '../session.ts'
import { HostError, type HostEvent, type HostLink, type LinkState } from './host-link.ts'

const FIRST_RETRY_MS = 250
const LAST_RETRY_MS = 5000

const NOT_SENT = 'Countersign cannot be reached just now. Try again in a moment.'
const LOST = 'The connection broke before the answer came. Look whether it was done before you repeat it.'

type Answer = { id: number | null; result: unknown } | { id: number | null; error: RpcFault }

/** Connects at once and again whenever the connection breaks, until it is closed or the session has ended. */
export function createWebSocketLink(): HostLink {
  const waiting = new Map<number, { resolve: (result: never) => void; reject: (error: HostError) => void }>()
  const eventListeners = new Set<(event: HostEvent) => void>()
  const stateListeners = new Set<() => void>()
  let state: LinkState = 'connecting'
  let socket: WebSocket | null = null
  let lastId = 0
  let retryMs = FIRST_RETRY_MS
  let retry: ReturnType<typeof setTimeout> | null = null
  let closed = false

  function become(next: LinkState): void {
    if (state === next) return
    state = next
    for (const listener of stateListeners) listener()
  }

  function connect(): void {
    const opening = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/rpc`, [RPC_PROTOCOL, pageToken()])
    socket = opening
    opening.addEventListener('open', () => {
      retryMs = FIRST_RETRY_MS
      become('open')
    })
    opening.addEventListener('message', ({ data }) => receive(String(data)))
    opening.addEventListener('close', () => {
      if (socket === opening) lost()
    })
  }

  function lost(): void {
    socket = null
    for (const { reject } of waiting.values()) reject(new HostError('unreachable', LOST))
    waiting.clear()
    if (closed) return
    become('connecting')
    retry = setTimeout(() => void reconnect(), retryMs * (0.75 + Math.random() / 2))
    retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
  }

  /** A browser does not say why a WebSocket was refused, so the session is asked for first. */
  async function reconnect(): Promise<void> {
    const session = await readSession().catch(() => null)
    if (closed) return
    if (session === null) lost()
    else if (session.loggedIn) connect()
    else become('logged out')
  }

  function receive(text: string): void {
    const message = JSON.parse(text) as Answer | HostEvent // From our own host, which knows no other shape.
    if ('event' in message) {
      for (const listener of eventListeners) listener(message)
      return
    }
    const call = message.id === null ? undefined : waiting.get(message.id)
    if (message.id === null || call === undefined) return
    waiting.delete(message.id)
    if ('error' in message) call.reject(new HostError(message.error.code, message.error.message))
    else call.resolve(message.result as never) // The contract types the result by its method.
  }

  connect()
  return {
    call: (method, params) =>
      new Promise((resolve, reject) => {
        if (socket === null || socket.readyState !== WebSocket.OPEN) return reject(new HostError('unreachable', NOT_SENT))
        const id = ++lastId
        waiting.set(id, { resolve, reject })
        socket.send(JSON.stringify({ id, method, params }))
      }),
    onEvent: (listener) => {
      eventListeners.add(listener)
      return () => eventListeners.delete(listener)
    },
    state: () => state,
    onState: (listener) => {
      stateListeners.add(listener)
      return () => stateListeners.delete(listener)
    },
    close: () => {
      closed = true
      if (retry !== null) clearTimeout(retry)
      socket?.close()
    },
  }
}
