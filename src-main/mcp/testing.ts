// For the tests of this folder: a backend that remembers what it was asked, and a connection whose other end is the test.
// Whatever goes out on such a connection is held against the official SDKs' schemas.

import { isSpecType } from '@modelcontextprotocol/client'
import { JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterEach } from 'vitest'
import type { ToolReply } from '../../src-shared/rpc.ts'
import type { Backend, ToolCall } from './backend.ts'
import { isObject, type JsonObject } from './json.ts'
import type { ErrorResponse, Id, Notification, Outgoing, Response } from './jsonrpc.ts'
import { MODERN, type Revision } from './revisions.ts'
import { createMcpServer, type McpServer, type McpServerOptions } from './server.ts'

export const SERVER_INFO = { name: 'countersign', title: 'Countersign', version: '1.2.3' }
export const LEGACY: readonly Revision[] = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']
export const ALL: readonly Revision[] = [...LEGACY, MODERN]

export interface Recorder extends Backend {
  calls: (ToolCall & { signal: AbortSignal })[]
  rejected: Parameters<Backend['recordRejected']>[0][]
}

export function recorder(overrides: Partial<Backend> = {}): Recorder {
  const calls: Recorder['calls'] = []
  const rejected: Recorder['rejected'] = []
  return {
    calls,
    rejected,
    recordRejected: (one) => void rejected.push(one),
    listResources: () => Promise.resolve({ resources: [], next: null }),
    readResource: () => Promise.resolve(null),
    complete: () => Promise.resolve({ values: [], total: 0 }),
    ...overrides,
    callTool: (call, signal) => {
      calls.push({ ...call, signal })
      return overrides.callTool?.(call, signal) ?? Promise.resolve(result('done'))
    },
  }
}

export function result(text: string, structured?: Record<string, unknown>): ToolReply {
  return { kind: 'result', text, isError: false, ...(structured === undefined ? {} : { structured }) }
}

/** A promise and the two ends of it. */
export function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: Error) => void } {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  return { promise, resolve, reject }
}

const RESULTS = new Map<string, (value: unknown) => boolean>([
  ['initialize', isSpecType.InitializeResult],
  ['ping', isSpecType.EmptyResult],
  ['server/discover', isSpecType.DiscoverResult],
  ['subscriptions/listen', isSpecType.SubscriptionsListenResult],
  ['tools/list', isSpecType.ListToolsResult],
  ['tools/call', isSpecType.CallToolResult],
  ['resources/list', isSpecType.ListResourcesResult],
  ['resources/templates/list', isSpecType.ListResourceTemplatesResult],
  ['resources/read', isSpecType.ReadResourceResult],
  ['completion/complete', isSpecType.CompleteResult],
])
const NOTIFICATIONS = new Map<string, (value: unknown) => boolean>([
  ['notifications/progress', isSpecType.ProgressNotification],
  ['notifications/cancelled', isSpecType.CancelledNotification],
  ['notifications/resources/list_changed', isSpecType.ResourceListChangedNotification],
  ['notifications/resources/updated', isSpecType.ResourceUpdatedNotification],
  ['notifications/subscriptions/acknowledged', isSpecType.SubscriptionsAcknowledgedNotification],
])

const misshapen: unknown[] = []
afterEach(() => {
  const found = misshapen.splice(0)
  if (found.length > 0) throw new Error(`Not a message in the eyes of the SDKs: ${JSON.stringify(found)}`)
})

function judge(message: Response | Notification, method: string | undefined): void {
  // Two things JSON-RPC allows and the SDKs do not: an error about a message without an id, and an id that is a fraction.
  const unusual = 'id' in message && (message.id === null || (typeof message.id === 'number' && !Number.isInteger(message.id)))
  const envelope = JSONRPCMessageSchema.safeParse(unusual ? { ...message, id: 1 } : message).success
  const body = (): boolean => {
    if ('method' in message) return NOTIFICATIONS.get(message.method)?.(message) === true
    return 'error' in message || method === undefined || RESULTS.get(method)?.(message.result) !== false
  }
  if (!envelope || !body()) misshapen.push(message)
}

export const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'modern-client', version: '3' },
}

export interface Connection extends McpServer {
  sent: Outgoing[]
  bugs: unknown[]
  /** Sends one message as a line. */
  say: (message: unknown) => void
  /** Sends a request, dressed for the revision of this connection, and waits for its answer. */
  ask: (method: string, params?: JsonObject, id?: Id) => Promise<Response>
  /** The same, where the answer must be a result. */
  result: (method: string, params?: JsonObject) => Promise<JsonObject>
  error: (method: string, params?: JsonObject) => Promise<ErrorResponse['error']>
  notifications: (method?: string) => Notification[]
  responses: () => (Response | Response[])[]
}

export function connect(backend: Backend | null, options: Partial<McpServerOptions> = {}, revision: Revision | null = null): Connection {
  const sent: Outgoing[] = []
  const bugs: unknown[] = []
  const waiting = new Map<Id, (response: Response) => void>()
  const asked = new Map<Id | null, string>()
  let last = 0

  const server = createMcpServer({
    backend: () => backend,
    serverInfo: SERVER_INFO,
    onBug: (error) => void bugs.push(error),
    ...options,
    send(message) {
      sent.push(message)
      for (const one of Array.isArray(message) ? message : [message]) judge(one, 'id' in one ? asked.get(one.id) : undefined)
      if (Array.isArray(message) || 'method' in message || message.id === null) return
      waiting.get(message.id)?.(message)
      waiting.delete(message.id)
    },
  })

  const say = (message: unknown): void => server.receive(JSON.stringify(message))

  function ask(method: string, params: JsonObject = {}, id: Id = `r${++last}`): Promise<Response> {
    const meta = isObject(params['_meta']) ? params['_meta'] : {}
    const dressed = revision === MODERN ? { ...params, _meta: { ...MODERN_META, ...meta } } : params
    return new Promise((resolve) => {
      waiting.set(id, resolve)
      asked.set(id, method)
      say({ jsonrpc: '2.0', id, method, params: dressed })
    })
  }

  async function resultOf(method: string, params?: JsonObject): Promise<JsonObject> {
    const response = await ask(method, params)
    if ('error' in response) throw new Error(`${method} failed: ${JSON.stringify(response.error)}`)
    return response.result
  }

  async function errorOf(method: string, params?: JsonObject): Promise<ErrorResponse['error']> {
    const response = await ask(method, params)
    if ('result' in response) throw new Error(`${method} succeeded: ${JSON.stringify(response.result)}`)
    return response.error
  }

  if (revision !== null && revision !== MODERN) {
    say({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params: hello(revision) })
    say({ jsonrpc: '2.0', method: 'notifications/initialized' })
    sent.length = 0
  }

  return {
    ...server,
    sent,
    bugs,
    say,
    ask,
    result: resultOf,
    error: errorOf,
    notifications: (method) =>
      sent.filter((message): message is Notification => 'method' in message).filter((one) => method === undefined || one.method === method),
    responses: () => sent.filter((message): message is Response | Response[] => !('method' in message)),
  }
}

export function hello(protocolVersion: string): JsonObject {
  return { protocolVersion, capabilities: {}, clientInfo: { name: 'legacy-client', version: '2' } }
}
