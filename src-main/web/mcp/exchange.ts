// One message in, one answer out: what the headers and the body say together, and in which form the answer leaves.

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Client } from '../../../src-shared/client.ts'
import { answer, answerUnread, type Answer } from '../../mcp/answer.ts'
import { isObject, parseJson } from '../../mcp/json.ts'
import { classify, CODE, errorResponse, ProtocolError, type Response } from '../../mcp/jsonrpc.ts'
import { cut, MODERN, REVISIONS, type Revision } from '../../mcp/revisions.ts'
import { createSession, type Core, type Link, type ServerInfo, type Session } from '../../mcp/session.ts'
import { tellNamesChanged } from '../../mcp/subscriptions.ts'
import { recordRejected } from '../../mcp/tools.ts'
import type { Door } from '../door.ts'
import { createBackend } from './backend.ts'
import type { WholeBody } from './body.ts'
import type { Callers } from './callers.ts'
import type { Flights } from './flights.ts'
import { mirrorFault, versionHeader } from './mirrored.ts'
import { createReply, sendJson, sendNothing, type Reply } from './reply.ts'
import { statusOf } from './status.ts'

/** What a message's answer may look at beside the message. */
export interface HttpLink extends Link {
  headers: IncomingHttpHeaders
  /** Calls back when the client has gone away before it was answered. */
  onGone: (run: () => void) => void
}
type Answered = Answer | Response[]
export type Answerer = (core: Core, session: Session, message: unknown, link: HttpLink) => Answered | Promise<Answered>

export interface ExchangeParts {
  host: Door
  callers: Callers
  flights: Flights
  serverInfo: ServerInfo
  onBug: (error: unknown) => void
  answer: Answerer
}

export interface Exchange {
  answer: (request: IncomingMessage, response: ServerResponse, client: Client, body: WholeBody) => Promise<void>
  /** A body that was not read to its end. */
  refuse: (request: IncomingMessage, response: ServerResponse, client: Client, fault: 'too long') => void
}

/** What a request without the header is taken to be of; the header came with the revision after. */
const UNSAID: Revision = '2025-03-26'
const MAX_IN_BATCH = 256
const MOST_STREAMS = 32
const SAYS_LENGTH = 200

export function createExchange(parts: ExchangeParts): Exchange {
  const { host, callers, flights, serverInfo, onBug } = parts

  function open({ headers, socket }: IncomingMessage, client: Client, revision: Revision) {
    const session = createSession(revision)
    // In the old era a client says its name once, in a handshake that has long been answered; this is what is left of it.
    session.says = headers['user-agent'] === undefined ? null : cut(headers['user-agent'], SAYS_LENGTH)
    const noted = { limited: false }
    const backend = createBackend(host, {
      caller: () => callers.full(client, socket),
      brief: () => callers.brief(client),
      onLimited: () => (noted.limited = true),
    })
    const core: Core = { backend: () => backend, serverInfo, maxInFlight: MAX_IN_BATCH, onBug, announces: false }
    return { session, core, noted }
  }

  return {
    async answer(request, response, client, body) {
      const { headers } = request
      const said = versionHeader(headers)
      const revision = said === undefined ? UNSAID : REVISIONS.find((known) => known === said)
      const { session, core, noted } = open(request, client, revision ?? UNSAID)
      const fail = (error: ProtocolError, message: unknown): void => {
        if (isObject(message) && message['method'] === 'tools/call') recordRejected(core, session, message['params'], error.message)
        sendJson(response, 400, errorResponse(idOf(message), error))
      }

      const parsed = body.is === 'text' ? parseJson(body.text) : { ok: false as const, fault: body.is }
      const message = parsed.ok ? parsed.value : null
      const mirrored = isObject(message) ? mirrorFault(headers, message) : null
      if (mirrored !== null) return fail(mirrored, message)
      if (revision === undefined) return fail(unknownVersion(said ?? ''), message)
      if (!parsed.ok) return sendJson(response, 400, answerUnread(core, session, parsed.fault))

      const isListening = isObject(message) && message['method'] === 'subscriptions/listen'
      if (isListening && flights.listening(client.id) >= MOST_STREAMS) {
        return sendJson(
          response,
          429,
          errorResponse(idOf(message), new ProtocolError(CODE.request, `At most ${MOST_STREAMS} streams at once`)),
        )
      }
      if (revision !== MODERN) cancelElsewhere(flights, client.id, message)
      const reply = createReply(response)
      const link: HttpLink = { headers, notify: reply.notify, onGone: (run) => onGone(response, run) }
      // Closing the stream, or the connection while nothing has been said on it yet, takes the request back.
      link.onGone(() => {
        for (const running of session.inFlight.values()) running.hangUp()
      })
      const stopHearing = isListening ? host.subscribe('client', callers.brief(client), () => tellNamesChanged(session, link)) : undefined
      const flight = { clientId: client.id, session, response }
      flights.begin(flight)
      try {
        const answered = await parts.answer(core, session, message, link)
        if (answered === null && isWithoutRequest(message)) sendNothing(response, 202)
        else finish(reply, answered, revision === MODERN, noted.limited)
      } finally {
        stopHearing?.()
        flights.end(flight)
      }
    },

    refuse(request, response, client, fault) {
      const { session, core } = open(request, client, UNSAID)
      sendJson(response, 413, answerUnread(core, session, fault), { Connection: 'close' })
    },
  }
}

function finish(reply: Reply, answered: Answered, isModern: boolean, limited: boolean): void {
  if (answered === null) reply.finish(200, null)
  else if (limited && !Array.isArray(answered)) reply.finish(429, answered, { 'Retry-After': '1' })
  else reply.finish(statusOf(answered, isModern), answered)
}

/** We ask our clients nothing, so a body that answers something is not for us. */
export const answerOverHttp: Answerer = (core, session, message, link) => {
  if (!Array.isArray(message) && classify(message).kind === 'response') {
    return errorResponse(null, new ProtocolError(CODE.request, 'The body must be a request or a notification: it has no method'))
  }
  return answer(core, session, message, link)
}

/** In the old era a request is taken back by a notification; each comes alone, so the core of this one does not know the other. */
function cancelElsewhere(flights: Flights, clientId: string, message: unknown): void {
  for (const one of Array.isArray(message) ? message : [message]) {
    if (!isObject(one) || one['method'] !== 'notifications/cancelled' || one['id'] !== undefined || !isObject(one['params'])) continue
    flights.cancel(clientId, one['params']['requestId'])
  }
}

/** Nothing but notifications (and answers that nobody waits for): received, and that is all there is to say. */
function isWithoutRequest(message: unknown): boolean {
  return (Array.isArray(message) ? message : [message]).every((one) => classify(one).kind !== 'request')
}

function idOf(message: unknown): string | number | null {
  const incoming = classify(message)
  return incoming.kind === 'request' || incoming.kind === 'invalid' ? incoming.id : null
}

function unknownVersion(requested: string): ProtocolError {
  return new ProtocolError(CODE.version, { supported: [...REVISIONS], requested: cut(requested, 64) })
}

function onGone(response: ServerResponse, run: () => void): void {
  response.on('close', () => {
    if (!response.writableFinished) run()
  })
}
