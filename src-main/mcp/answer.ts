// From one parsed message to its answer. Knows no transport: a stream sends what comes back, HTTP puts it in a response.

import { texts } from '../../src-shared/texts.ts'
import { isObject, type JsonObject } from './json.ts'
import { classify, CODE, errorResponse, ProtocolError, resultResponse, type Id, type Incoming, type Response } from './jsonrpc.ts'
import { dressed, isModernOnly, methodFor } from './methods.ts'
import { MODERN, modernSays, revisionOf } from './revisions.ts'
import type { Context, Core, Link, Request, Session } from './session.ts'
import { errorResult, record, recordRejected } from './tools.ts'
import { awaited } from './waiting.ts'

/** null: nothing is due (a notification, or a request that was cancelled). */
export type Answer = Response | null
/** Not a promise where nothing has to be waited for, so that such answers leave in the order of their requests. */
type Soon<T> = T | Promise<T>

/** How many calls of one forbidden batch are put on record. */
const MAX_RECORDED = 16

export function answer(core: Core, session: Session, message: unknown, link: Link): Soon<Answer | Response[]> {
  return Array.isArray(message) ? answerBatch(core, session, message, link) : answerOne(core, session, classify(message), link, false)
}

/** Only one revision has batches. Elsewhere nothing in them is done, and what would have been a call is on record. */
function answerBatch(core: Core, session: Session, batch: unknown[], link: Link): Soon<Answer | Response[]> {
  if (batch.length === 0) return errorResponse(null, new ProtocolError(CODE.request, 'The batch is empty'))
  if (session.revision === '2025-03-26') return answerEach(core, session, batch, link)
  const calls = batch.filter(isObject).filter((message) => message['method'] === 'tools/call')
  for (const call of calls.slice(0, MAX_RECORDED)) recordRejected(core, session, call['params'], 'batch')
  return errorResponse(null, new ProtocolError(CODE.request, 'Batches are part of 2025-03-26 alone; send one message at a time'))
}

async function answerEach(core: Core, session: Session, batch: unknown[], link: Link): Promise<Response[] | null> {
  const answers = await Promise.all(batch.map(async (message) => answerOne(core, session, classify(message), link, true)))
  const due = answers.filter((one) => one !== null)
  return due.length > 0 ? due : null
}

function answerOne(core: Core, session: Session, incoming: Incoming, link: Link, inBatch: boolean): Soon<Answer> {
  switch (incoming.kind) {
    case 'response':
      return null
    case 'invalid':
      if (incoming.method === 'tools/call') recordRejected(core, session, incoming.params, incoming.fault)
      return errorResponse(incoming.id, new ProtocolError(CODE.request, incoming.fault))
    case 'notification':
      takeNotification(core, session, incoming.method, incoming.params)
      return null
    case 'request':
      try {
        return answerRequest({ core, session, link, request: understood(session, incoming, inBatch) })
      } catch (error) {
        // Whatever is thrown before a call has begun means that it was not made.
        if (incoming.method === 'tools/call') recordRejected(core, session, incoming.params, reasonOf(error))
        return failed(core, incoming.id, error)
      }
  }
}

function takeNotification(core: Core, session: Session, method: string, params: unknown): void {
  switch (method) {
    case 'notifications/initialized':
      if (session.handshake === 'offered') session.handshake = 'confirmed'
      return
    case 'notifications/cancelled':
      if (isObject(params)) cancel(session, params['requestId'])
      return
    case 'tools/call':
      recordRejected(core, session, params, 'notification')
      return
    default:
  }
}

/** Some clients cancel what has long been answered: an unknown id is nothing to remark on. */
function cancel(session: Session, id: unknown): void {
  if (typeof id === 'string' || typeof id === 'number') session.inFlight.get(id)?.hangUp()
}

/** Throws what is wrong with the request as such, before its method is looked at. */
function understood(
  session: Session,
  { id, method, params: given }: { id: Id; method: string; params: unknown },
  inBatch: boolean,
): Request {
  const params = given ?? {}
  if (!isObject(params)) throw new ProtocolError(CODE.params, 'params must be an object')
  if (session.inFlight.has(id)) throw new ProtocolError(CODE.request, 'A request with this id is still in flight')
  const revision = revisionOf(method, params, session.revision, isModernOnly(method))
  if (inBatch && (revision === MODERN || method === 'initialize'))
    throw new ProtocolError(CODE.request, 'This request cannot be part of a batch')
  return { id, method, params, revision, says: revision === MODERN ? modernSays(params) : session.says }
}

function answerRequest(context: Context): Soon<Answer> {
  const { core, session, request } = context
  const method = methodFor(request.method, request.revision)
  const finish = (result: JsonObject): Response => resultResponse(request.id, dressed(result, method, request.revision, core.serverInfo))
  if ('now' in method.run) return finish(method.run.now(context))
  if (session.running < core.maxInFlight) return awaited(context, method.run.later, finish, (error) => failed(core, request.id, error))

  const sentence = texts.tooManyInFlight(core.maxInFlight)
  if (request.method !== 'tools/call') throw new ProtocolError(CODE.request, sentence)
  recordRejected(core, session, request.params, 'too many in flight')
  return finish(errorResult(sentence))
}

/** For the log: a sentence of ours, never a word of the message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof ProtocolError)) return 'internal error'
  return typeof error.data === 'string' ? error.data : error.message
}

/** What a request gets whose handling threw. Of our own bugs it learns nothing but that there was one. */
function failed(core: Core, id: Id, error: unknown): Response {
  if (error instanceof ProtocolError) return errorResponse(id, error)
  core.onBug(error)
  return errorResponse(id, new ProtocolError(CODE.internal, 'Countersign made a mistake; the call may or may not have been made'))
}

/** A line that was never read as a message. It may have been a call, so it is on record, without a name. */
export function answerUnread(core: Core, session: Session, fault: 'too long' | 'not utf-8' | 'too deep' | 'not json'): Response {
  if (fault !== 'not json') record(core, { tool: null, fields: [], reason: fault, says: session.says })
  return errorResponse(null, unread(fault))
}

function unread(fault: 'too long' | 'not utf-8' | 'too deep' | 'not json'): ProtocolError {
  switch (fault) {
    case 'not json':
      return new ProtocolError(CODE.parse, 'The message is not JSON')
    case 'not utf-8':
      return new ProtocolError(CODE.parse, 'The message is not UTF-8')
    case 'too long':
      return new ProtocolError(CODE.request, 'The message is longer than 1 MiB')
    case 'too deep':
      return new ProtocolError(CODE.request, 'The message is nested deeper than 32 levels')
  }
}
