// The newest revision has every request repeat parts of its body in headers, for those who route by them. Where the two differ,
// somebody on the way has decided about another request than the one that would be made, so it is refused.

import type { IncomingHttpHeaders } from 'node:http'
import { isObject, type JsonObject } from '../../mcp/json.ts'
import { CODE, ProtocolError } from '../../mcp/jsonrpc.ts'
import { metaOf, MODERN, VERSION_KEY } from '../../mcp/revisions.ts'

/** Which parameter `Mcp-Name` repeats, by method. */
const NAMED = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
])

export const versionHeader = (headers: IncomingHttpHeaders): string | undefined => single(headers['mcp-protocol-version'])

/** What differs between a request's headers and its body; null where nothing does, or where its revision has no such headers. */
export function mirrorFault(headers: IncomingHttpHeaders, message: JsonObject): ProtocolError | null {
  const { method, id } = message
  const params = isObject(message['params']) ? message['params'] : {}
  if (typeof method !== 'string' || id === undefined) return null
  const version = versionHeader(headers)
  const said = metaOf(params)[VERSION_KEY]
  if (typeof said === 'string' && said !== version) return mismatch('MCP-Protocol-Version', version)
  // The old handshake has no such headers, whatever era its sender has tried before.
  if (version !== MODERN || (method === 'initialize' && typeof params['protocolVersion'] === 'string')) return null
  const mcpMethod = single(headers['mcp-method'])
  if (mcpMethod !== method) return mismatch('Mcp-Method', mcpMethod)
  const field = NAMED.get(method)
  const name = field === undefined ? undefined : params[field]
  if (typeof name !== 'string') return null
  const mcpName = single(headers['mcp-name'])
  return mcpName !== undefined && decodeHeader(mcpName) === name ? null : mismatch('Mcp-Name', mcpName)
}

/** Nothing of the message is quoted: it may be a value in the wrong place. */
export function mismatch(header: string, found: string | undefined): ProtocolError {
  return new ProtocolError(
    CODE.header,
    found === undefined ? `The header ${header} is missing` : `The header ${header} is not what the body says`,
  )
}

/** What cannot stand in a header comes as `=?base64?…?=`; null where that is not proper base64 of proper UTF-8. */
export function decodeHeader(value: string): string | null {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1]
  if (encoded === undefined) return value
  const bytes = Buffer.from(encoded, 'base64')
  if (bytes.toString('base64') !== encoded) return null
  const text = bytes.toString('utf8')
  return Buffer.from(text, 'utf8').equals(bytes) ? text : null
}

const single = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value.join(', ') : value)
