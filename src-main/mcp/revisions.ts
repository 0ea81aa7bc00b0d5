// The revisions of the protocol and what each of them has. Two eras: up to 2025-11-25 a connection opens with `initialize`,
// from 2026-07-28 on every request says by itself which revision it is of. Both are served at all times.

import { isObject, type JsonObject } from './json.ts'
import { CODE, ProtocolError } from './jsonrpc.ts'

export const REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const
export type Revision = (typeof REVISIONS)[number]

export const MODERN = '2026-07-28'
/** What `initialize` answers to a version nobody knows: refusing it has locked out real clients. */
const NEWEST_LEGACY = '2025-11-25'
/** What a client is taken to speak that has not said. */
export const UNSTATED = '2024-11-05'

const META = 'io.modelcontextprotocol/'
export const VERSION_KEY = `${META}protocolVersion`
const CAPABILITIES_KEY = `${META}clientCapabilities`
const CLIENT_KEY = `${META}clientInfo`
export const SERVER_KEY = `${META}serverInfo`
export const SUBSCRIPTION_KEY = `${META}subscriptionId`

/** Revisions are dates, so they sort as text. */
export function since(revision: Revision, first: Revision): boolean {
  return revision >= first
}

function negotiate(asked: unknown): Revision {
  const known = REVISIONS.find((revision) => revision === asked)
  return known === undefined || known === MODERN ? NEWEST_LEGACY : known
}

/**
 * Which revision a request is of. `initialize` that names a version is the old handshake whatever else it carries: some
 * clients send it after they have tried the new era on the same connection.
 */
export function revisionOf(method: string, params: JsonObject, connection: Revision, modernOnly: boolean): Revision {
  const meta = metaOf(params)
  const version = meta[VERSION_KEY]
  const capabilities = meta[CAPABILITIES_KEY]
  const modern = version !== undefined || capabilities !== undefined || connection === MODERN || modernOnly
  if (method === 'initialize' && (!modern || typeof params['protocolVersion'] === 'string')) return negotiate(params['protocolVersion'])
  if (!modern) return connection
  if (typeof version !== 'string') throw new ProtocolError(CODE.params, `_meta must name "${VERSION_KEY}" as a string`)
  if (version !== MODERN) throw new ProtocolError(CODE.version, { supported: [...REVISIONS], requested: version })
  if (!isObject(capabilities)) throw new ProtocolError(CODE.params, `_meta must carry "${CAPABILITIES_KEY}" as an object`)
  return MODERN
}

export function metaOf(params: JsonObject): JsonObject {
  const meta = params['_meta']
  return isObject(meta) ? meta : {}
}

const SAYS_LENGTH = 200

/** What a client calls itself, bounded. Untrusted: whoever shows it escapes it. */
export function saysOf(clientInfo: unknown): string | null {
  if (!isObject(clientInfo) || typeof clientInfo['name'] !== 'string') return null
  const version = clientInfo['version']
  return cut(typeof version === 'string' ? `${clientInfo['name']} ${version}` : clientInfo['name'], SAYS_LENGTH)
}

export function modernSays(params: JsonObject): string | null {
  return saysOf(metaOf(params)[CLIENT_KEY])
}

/** At most `length` UTF-16 units, never half a character. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text
  const last = text.charCodeAt(length - 1)
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length)
}
