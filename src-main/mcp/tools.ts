// tools/list in each revision's shape, and tools/call from request to result.

import type { ToolReply } from '../../src-shared/rpc.ts'
import { NOT_RUNNING, texts } from '../../src-shared/texts.ts'
import { TOOLS, type ToolDefinition } from '../../src-shared/tools.ts'
import { HostAbsent, type Backend } from './backend.ts'
import { isObject, type JsonObject } from './json.ts'
import { CODE, notification, ProtocolError } from './jsonrpc.ts'
import { cut, metaOf, MODERN, modernSays, since, type Revision } from './revisions.ts'
import type { Context, Core, Running, Session } from './session.ts'

export function listTools({ request }: Context): JsonObject {
  const cursor = request.params['cursor']
  if (cursor !== undefined && cursor !== null) throw new ProtocolError(CODE.params, 'cursor is not one of ours: the tools fit on one page')
  return { tools: TOOLS.map((tool) => shaped(tool, request.revision)) }
}

function shaped({ name, title, description, inputSchema, outputSchema, annotations }: ToolDefinition, revision: Revision): JsonObject {
  const output = outputSchema === undefined ? {} : { outputSchema }
  if (since(revision, '2025-06-18')) return { name, title, description, inputSchema, ...output, annotations }
  if (since(revision, '2025-03-26')) return { name, description, inputSchema, annotations: { title, ...annotations } }
  return { name, description, inputSchema }
}

export async function callTool(context: Context, running: Running): Promise<JsonObject> {
  const { core, session, request } = context
  const { name } = request.params
  if (typeof name !== 'string') {
    recordRejected(core, session, request.params, 'no tool name')
    throw new ProtocolError(CODE.params, 'name must be a string')
  }
  const backend = core.backend()
  if (backend === null) return errorResult(NOT_RUNNING)
  try {
    const call = { tool: name, arguments: request.params['arguments'] ?? {}, says: request.says, onWaiting: progress(context, running) }
    return toResult(await backend.callTool(call, running.signal), name, request.revision)
  } catch (error) {
    if (error instanceof HostAbsent) return errorResult(error.message)
    throw error
  }
}

/** Tools that answer with structured content. The value of a secret is not among it: it is given once, as text, whatever the host sent along. */
const STRUCTURED = new Set<string>(TOOLS.filter(({ outputSchema }) => outputSchema !== undefined).map(({ name }) => name))

function toResult(reply: ToolReply, tool: string, revision: Revision): JsonObject {
  switch (reply.kind) {
    case 'result': {
      if (reply.isError) return errorResult(reply.text)
      const structured = since(revision, '2025-06-18') && STRUCTURED.has(tool) ? reply.structured : undefined
      return { ...textResult(reply.text), ...(structured === undefined ? {} : { structuredContent: structured }) }
    }
    case 'invalid': {
      const sentence = texts.invalidArgument(reply.field, reply.fault)
      if (since(revision, '2025-11-25')) return errorResult(sentence)
      throw new ProtocolError(CODE.params, sentence)
    }
    case 'timeout': {
      const late = new ProtocolError(CODE.timeout, 'The call did not end in time')
      // The newest revision reserves the range this code is from.
      if (revision === MODERN) return errorResult(late.message)
      throw late
    }
  }
}

function textResult(text: string): JsonObject {
  return { content: [{ type: 'text', text }] }
}

export function errorResult(text: string): JsonObject {
  return { ...textResult(`Error: ${text}`), isError: true }
}

/** Each call of the returned function is one sign of life, if the request asked for any. */
function progress({ link, request }: Context, running: Running): (message: string) => void {
  const { progressToken } = metaOf(request.params)
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return () => undefined
  let count = 0
  return (message) => {
    if (!running.wanted) return
    count += 1
    const words = since(request.revision, '2025-03-26') ? { message } : {}
    link.notify(notification('notifications/progress', { progressToken, progress: count, ...words }))
  }
}

const FIELD_LENGTH = 64
const MAX_FIELDS = 32

/**
 * Puts a call on record that never became one. Only the names of its arguments: a value may stand in the wrong one. The
 * refusal is answered whether or not it could be recorded, since nothing was done.
 */
export function recordRejected(core: Core, session: Session, given: unknown, reason: string): void {
  const params = isObject(given) ? given : {}
  const { name } = params
  const fields = isObject(params['arguments']) ? Object.keys(params['arguments']).slice(0, MAX_FIELDS) : []
  record(core, {
    tool: typeof name === 'string' ? cut(name, FIELD_LENGTH) : null,
    fields: fields.map((field) => cut(field, FIELD_LENGTH)),
    reason,
    says: modernSays(params) ?? session.says,
  })
}

export function record(core: Core, rejected: Parameters<Backend['recordRejected']>[0]): void {
  try {
    core.backend()?.recordRejected(rejected)
  } catch (error) {
    if (!(error instanceof HostAbsent)) core.onBug(error)
  }
}
