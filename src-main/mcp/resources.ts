// Resources: names, policies and the client's own calls, as JSON. Never a value; the host filters by the client's policy.

import { NOT_RUNNING } from '../../src-shared/texts.ts'
import { BadCursor, HostAbsent, type Backend } from './backend.ts'
import type { JsonObject } from './json.ts'
import { CODE, ProtocolError } from './jsonrpc.ts'
import { MODERN, type Revision } from './revisions.ts'
import type { Context, Core } from './session.ts'
import { MIME_TYPE } from './templates.ts'

const MAX_URI = 2048
const MAX_SUBSCRIBED = 256

export async function listResources({ core, request }: Context): Promise<JsonObject> {
  const cursor = request.params['cursor'] ?? null
  if (cursor !== null && typeof cursor !== 'string') throw new ProtocolError(CODE.params, 'cursor must be a string')
  const { resources, next } = await ask(core, (backend) => backend.listResources(cursor))
  const list = resources.map(({ uri, name, description }) => ({ uri, name, description, mimeType: MIME_TYPE }))
  return { resources: list, ...(next === null ? {} : { nextCursor: next }) }
}

export async function readResource({ core, request }: Context): Promise<JsonObject> {
  const uri = uriOf(request.params)
  const found = uri.length > MAX_URI ? null : await ask(core, (backend) => backend.readResource(uri))
  if (found === null) throw notFound(uri, request.revision)
  return { contents: [{ uri, mimeType: MIME_TYPE, text: found.text }] }
}

export function subscribe({ session, request }: Context): JsonObject {
  const uri = uriOf(request.params)
  if (uri.length > MAX_URI) throw notFound(uri, request.revision)
  if (session.subscribed.size >= MAX_SUBSCRIBED)
    throw new ProtocolError(CODE.params, `At most ${MAX_SUBSCRIBED} resources can be subscribed to`)
  session.subscribed.add(uri)
  return {}
}

export function unsubscribe({ session, request }: Context): JsonObject {
  session.subscribed.delete(uriOf(request.params))
  return {}
}

/** The URIs a `subscriptions/listen` filter names; the same bounds as for `subscribe`. */
export function subscriptionUris(given: unknown): Set<string> {
  if (given === undefined) return new Set()
  if (!Array.isArray(given) || !given.every((uri): uri is string => typeof uri === 'string')) {
    throw new ProtocolError(CODE.params, 'notifications.resourceSubscriptions must be a list of strings')
  }
  if (given.length > MAX_SUBSCRIBED) throw new ProtocolError(CODE.params, `At most ${MAX_SUBSCRIBED} resources can be subscribed to`)
  return new Set(given.filter((uri) => uri.length <= MAX_URI))
}

async function ask<T>(core: Core, question: (backend: Backend) => Promise<T>): Promise<T> {
  const backend = core.backend()
  if (backend === null) throw new ProtocolError(CODE.unavailable, NOT_RUNNING)
  try {
    return await question(backend)
  } catch (error) {
    if (error instanceof BadCursor) throw new ProtocolError(CODE.params, 'cursor is not one of ours')
    if (error instanceof HostAbsent) throw new ProtocolError(CODE.unavailable, error.message)
    throw error
  }
}

function uriOf(params: JsonObject): string {
  const { uri } = params
  if (typeof uri !== 'string') throw new ProtocolError(CODE.params, 'uri must be a string')
  return uri
}

function notFound(uri: string, revision: Revision): ProtocolError {
  if (revision !== MODERN) return new ProtocolError(CODE.resource, `No such resource: ${uri}`)
  return new ProtocolError(CODE.params, { uri }, CODE.resource)
}
