// What a request must look like before its body counts, in the order in which it is asked: Host, Origin, path, method; then the
// token; then content type, Accept and size. Whoever fails early learns nothing of what comes later.

import type { IncomingMessage } from 'node:http'
import { CODE, errorResponse, ProtocolError } from '../../mcp/jsonrpc.ts'
import { MAX_MESSAGE_BYTES } from '../../mcp/server.ts'
import { countOf, guardFault } from '../guard.ts'

export const PATH = '/mcp'
const JSON_TYPE = 'application/json'
export const STREAM_TYPE = 'text/event-stream'

export interface Refusal {
  status: number
  body: object
  headers?: Record<string, string>
  /** It looks like a page in a browser, which has no business here. */
  isPage?: true
}

/** Why nobody with these headers is served here; null when the request may go on. */
export function headFault(request: IncomingMessage, port: number): Refusal | null {
  return guardFault(request, port) === null ? null : { status: 403, body: { error: 'Forbidden' }, isPage: true }
}

/** Why its first line is none for the endpoint; null when it may go on to show its token. */
export function lineFault(request: IncomingMessage): Refusal | null {
  if ((request.url ?? '').split('?', 1)[0] !== PATH) return { status: 404, body: { error: 'Not Found' } }
  if (request.method !== 'POST') return { status: 405, body: { error: 'Method Not Allowed' }, headers: { Allow: 'POST' } }
  return null
}

export const UNAUTHORIZED: Refusal = { status: 401, body: { error: 'Unauthorized' }, headers: { 'WWW-Authenticate': 'Bearer' } }

/** The token, which comes in exactly one header and in exactly this form; null otherwise. */
export function bearerOf({ headers, rawHeaders }: IncomingMessage): string | null {
  if (countOf(rawHeaders, 'authorization') !== 1) return null
  return /^Bearer ([^ ]+)$/.exec(headers.authorization ?? '')?.[1] ?? null
}

/** The last forms that were found in order. A client sends the same with every request, and reading them costs more than the rest. */
let fine = { type: '', accept: '' }

/** What is wrong with how the body is sent, or with how its answer is wanted. */
export function formFault({ headers }: IncomingMessage): Refusal | null {
  const { 'content-type': type = '', accept = '' } = headers
  if (type === fine.type && accept === fine.accept && headers['content-encoding'] === undefined) return null
  if (!isJson(type) || (headers['content-encoding'] ?? 'identity') !== 'identity') {
    return badRequest(415, `Content-Type must be ${JSON_TYPE}, in UTF-8 and not compressed`)
  }
  const accepted = acceptedTypes(accept)
  if (!accepted.has(JSON_TYPE) || !accepted.has(STREAM_TYPE)) {
    return badRequest(400, `Accept header must include ${JSON_TYPE} and ${STREAM_TYPE}`)
  }
  fine = { type, accept }
  return null
}

export function isTooLarge({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) > MAX_MESSAGE_BYTES
}

function badRequest(status: number, data: string): Refusal {
  return { status, body: errorResponse(null, new ProtocolError(CODE.request, data)) }
}

function isJson(header: string): boolean {
  const [type, ...parameters] = header.split(';').map((part) => part.trim().toLowerCase())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))
  return type === JSON_TYPE && (charset === undefined || /^charset="?utf-8"?$/.test(charset))
}

/** The types that are named; one that is named only to be refused (`q=0`) is not. */
function acceptedTypes(header: string): Set<string> {
  const ranges = header.split(',').map((range) => range.split(';').map((part) => part.trim().toLowerCase()))
  return new Set(ranges.filter((range) => !range.some((part) => /^q=0(\.0*)?$/.test(part))).map(([type]) => type ?? ''))
}
