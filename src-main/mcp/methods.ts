// Every request method there is: the era it belongs to, whether it waits for the host, and how long its result keeps.

import { complete } from './completion.ts'
import type { JsonObject } from './json.ts'
import { CODE, ProtocolError } from './jsonrpc.ts'
import { listResources, readResource, subscribe, unsubscribe } from './resources.ts'
import { cut, metaOf, MODERN, REVISIONS, saysOf, SERVER_KEY, since, type Revision } from './revisions.ts'
import type { Context, Running, ServerInfo } from './session.ts'
import { listen } from './subscriptions.ts'
import { listTemplates } from './templates.ts'
import { callTool, listTools } from './tools.ts'

interface Caching {
  ttlMs: number
  cacheScope: 'public' | 'private'
}

export interface Method {
  era: 'both' | 'legacy' | 'modern'
  /** Answers at once, or counts as in flight and can be cancelled. */
  run: { now: (context: Context) => JsonObject } | { later: (context: Context, running: Running) => Promise<JsonObject> }
  caching?: Caching
}

/** The same for everybody, for as long as this program runs. */
const FIXED: Caching = { ttlMs: 300_000, cacheScope: 'public' }
/** Depends on the client and may change at any time. */
const FRESH: Caching = { ttlMs: 0, cacheScope: 'private' }

/** A Map, because a method may be called `constructor`. */
export const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['initialize', { era: 'legacy', run: { now: initialize } }],
  ['ping', { era: 'legacy', run: { now: () => ({}) } }],
  ['logging/setLevel', { era: 'legacy', run: { now: setLevel } }],
  ['resources/subscribe', { era: 'legacy', run: { now: subscribe } }],
  ['resources/unsubscribe', { era: 'legacy', run: { now: unsubscribe } }],
  ['server/discover', { era: 'modern', run: { now: discover }, caching: FIXED }],
  ['subscriptions/listen', { era: 'modern', run: { later: listen } }],
  ['tools/list', { era: 'both', run: { now: listTools }, caching: FIXED }],
  ['tools/call', { era: 'both', run: { later: callTool } }],
  ['resources/list', { era: 'both', run: { later: listResources }, caching: FRESH }],
  ['resources/templates/list', { era: 'both', run: { now: listTemplates }, caching: FIXED }],
  ['resources/read', { era: 'both', run: { later: readResource }, caching: FRESH }],
  ['completion/complete', { era: 'both', run: { later: complete } }],
])

/** Whether only the newest revision has it, so that asking for it says which era is spoken. */
export function isModernOnly(name: string): boolean {
  return METHODS.get(name)?.era === 'modern'
}

export function methodFor(name: string, revision: Revision): Method {
  const method = METHODS.get(name)
  const wrongEra = revision === MODERN ? 'legacy' : 'modern'
  if (method === undefined || method.era === wrongEra)
    throw new ProtocolError(CODE.method, `There is no method '${cut(name, 100)}' in ${revision}`)
  return method
}

/** Adds what the newest revision wants on every result. */
export function dressed(result: JsonObject, method: Method, revision: Revision, serverInfo: ServerInfo): JsonObject {
  if (revision !== MODERN) return result
  return { resultType: 'complete', ...result, ...method.caching, _meta: { ...metaOf(result), [SERVER_KEY]: serverInfo } }
}

const INSTRUCTIONS =
  'Countersign keeps secrets and asks a person before anything is written, and before some reads. If a call answers that it ' +
  'is waiting for approval, tell the person and then repeat the same call. Do not store or print values that were not asked for.'

function initialize({ core, session, request }: Context): JsonObject {
  session.revision = request.revision
  session.says = saysOf(request.params['clientInfo'])
  session.handshake = 'offered'
  const { name, title, version } = core.serverInfo
  return {
    protocolVersion: request.revision,
    capabilities: {
      tools: {},
      resources: core.announces ? { subscribe: true, listChanged: true } : {},
      logging: {},
      ...(since(request.revision, '2025-03-26') ? { completions: {} } : {}),
    },
    serverInfo: since(request.revision, '2025-06-18') ? { name, title, version } : { name, version },
    instructions: INSTRUCTIONS,
  }
}

function discover(): JsonObject {
  return {
    supportedVersions: [...REVISIONS],
    capabilities: { tools: {}, resources: { subscribe: true, listChanged: true }, completions: {} },
    instructions: INSTRUCTIONS,
  }
}

const LEVELS = new Set(['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'])

/** Accepted, because clients ask for it as a matter of course. We send no log messages: they would be a way out for values. */
function setLevel({ request }: Context): JsonObject {
  const { level } = request.params
  if (typeof level !== 'string' || !LEVELS.has(level))
    throw new ProtocolError(CODE.params, `level must be one of ${[...LEVELS].join(', ')}`)
  return {}
}
