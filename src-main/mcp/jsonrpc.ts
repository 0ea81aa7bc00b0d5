// JSON-RPC 2.0 as MCP narrows it: what a parsed value is, and the shapes we send.

import { isObject, type JsonObject } from './json.ts'

export type Id = string | number

export interface Notification {
  jsonrpc: '2.0'
  method: string
  params?: JsonObject
}
export interface ResultResponse {
  jsonrpc: '2.0'
  id: Id
  result: JsonObject
}
export interface ErrorResponse {
  jsonrpc: '2.0'
  /** null: the message was too broken to tell which request it was. */
  id: Id | null
  error: { code: number; message: string; data?: unknown }
}
export type Response = ResultResponse | ErrorResponse
export type Outgoing = Response | Response[] | Notification

export const CODE = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  timeout: -32000,
  /** Not from -32768 to -32000: that range belongs to JSON-RPC and, in the newest revision, to MCP alone. */
  unavailable: -31000,
  resource: -32002,
  header: -32020,
  version: -32022,
} as const
export type Code = (typeof CODE)[keyof typeof CODE]

const PHRASES: Record<Code, string> = {
  [CODE.parse]: 'Parse error',
  [CODE.request]: 'Invalid Request',
  [CODE.method]: 'Method not found',
  [CODE.params]: 'Invalid params',
  [CODE.internal]: 'Internal error',
  [CODE.timeout]: 'Tool execution timeout',
  [CODE.unavailable]: 'Not available',
  [CODE.resource]: 'Resource not found',
  [CODE.header]: 'Header mismatch',
  [CODE.version]: 'Unsupported protocol version',
}

/** Thrown by whoever handles a request; becomes its error response. */
export class ProtocolError extends Error {
  override name = 'ProtocolError'
  readonly code: Code
  /** A sentence, or the object that a revision prescribes for this error. */
  readonly data: string | JsonObject
  /** `phrase`: whose standard phrase it carries, where a revision moved an error to another code. */
  constructor(code: Code, data: string | JsonObject, phrase: Code = code) {
    super(PHRASES[phrase])
    this.code = code
    this.data = data
  }
}

export function errorResponse(id: Id | null, error: ProtocolError): ErrorResponse {
  return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message, data: error.data } }
}

export function resultResponse(id: Id, result: JsonObject): ResultResponse {
  return { jsonrpc: '2.0', id, result }
}

export function notification(method: string, params?: JsonObject): Notification {
  return params === undefined ? { jsonrpc: '2.0', method } : { jsonrpc: '2.0', method, params }
}

export type Incoming =
  | { kind: 'request'; id: Id; method: string; params: unknown }
  | { kind: 'notification'; method: string; params: unknown }
  /** We ask our clients nothing, so nothing waits for these. */
  | { kind: 'response' }
  | { kind: 'invalid'; id: Id | null; method: string | null; params: unknown; fault: string }

export function classify(value: unknown): Incoming {
  if (!isObject(value)) return { kind: 'invalid', id: null, method: null, params: undefined, fault: 'A message must be an object' }
  const { jsonrpc, id, method, params } = value
  const known = isId(id) ? id : null
  const name = typeof method === 'string' ? method : null
  const invalid = (fault: string): Incoming => ({ kind: 'invalid', id: known, method: name, params, fault })
  if (jsonrpc !== '2.0') return invalid('jsonrpc must be "2.0"')
  if (id !== undefined && known === null) {
    // An error without an id answers a message of ours that could not be read; there is nobody to tell.
    if (id === null && method === undefined && isObject(value['error'])) return { kind: 'response' }
    return invalid('id must be a string or a number that is exact in double precision')
  }
  if (method === undefined && (value['result'] !== undefined || value['error'] !== undefined)) return { kind: 'response' }
  if (name === null) return invalid('method must be a string')
  return known === null ? { kind: 'notification', method: name, params } : { kind: 'request', id: known, method: name, params }
}

/** A whole number beyond 2^53 has been rounded by now: its answer would go to another request. */
function isId(id: unknown): id is Id {
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id) && (!Number.isInteger(id) || Number.isSafeInteger(id)))
}
