// The protocol on a stream: lines in, messages out. One per connection.

import { answer, answerUnread } from './answer.ts'
import type { FrameFault } from './framing.ts'
import { parseJson } from './json.ts'
import type { Outgoing, Response } from './jsonrpc.ts'
import { createSession, type Core, type ServerInfo } from './session.ts'
import { endSubscriptions, tellNamesChanged } from './subscriptions.ts'

/** Of one message, without its line feed. */
export const MAX_MESSAGE_BYTES = 1024 * 1024
const MAX_IN_FLIGHT = 256

export interface McpServerOptions {
  backend: Core['backend']
  send: (message: Outgoing) => void
  serverInfo: ServerInfo
  maxInFlight?: number
  onBug?: Core['onBug']
  /** What becomes of a message. The suite that judges us puts in its place what also knows the tools it asks for. */
  answer?: typeof answer
}

export interface McpServer {
  /** Never throws: bad input gets one error, and the next line is served. */
  receive: (line: string) => void
  /** A line the frame reader had to drop. */
  fault: (fault: FrameFault) => void
  /** The names this client may see have changed. */
  namesChanged: () => void
  /** Resolves when no request is waiting for its answer; open subscriptions do not count. */
  whenIdle: () => Promise<void>
  /** Ends subscriptions and aborts what runs. Nothing is sent after it has resolved, which it does without waiting for anybody. */
  close: () => Promise<void>
}

export function createMcpServer(options: McpServerOptions): McpServer {
  const { backend, send, serverInfo, maxInFlight = MAX_IN_FLIGHT, onBug = () => undefined } = options
  const respond = options.answer ?? answer
  const core: Core = { backend, serverInfo, maxInFlight, onBug, announces: true }
  const session = createSession()
  const link = { notify: send }
  const coming = new Set<Promise<void>>()
  const waitingForIdle = new Set<() => void>()
  let closed = false

  /** Each open subscription is one answer that is still to come. */
  const isIdle = (): boolean => coming.size === session.listeners.size

  async function sendLater(reply: Promise<Response | Response[] | null>): Promise<void> {
    const message = await reply
    if (message !== null) send(message)
  }

  function expect(reply: Promise<Response | Response[] | null>): void {
    const sent = sendLater(reply)
      .catch(onBug)
      .finally(() => {
        coming.delete(sent)
        if (!isIdle()) return
        for (const tell of waitingForIdle) tell()
        waitingForIdle.clear()
      })
    coming.add(sent)
  }

  return {
    receive(line) {
      if (closed) return
      const parsed = parseJson(line)
      const reply = parsed.ok ? respond(core, session, parsed.value, link) : answerUnread(core, session, parsed.fault)
      if (reply instanceof Promise) expect(reply)
      else if (reply !== null) send(reply)
    },
    fault(fault) {
      if (!closed) send(answerUnread(core, session, fault))
    },
    namesChanged() {
      if (!closed) tellNamesChanged(session, link)
    },
    whenIdle: () => (isIdle() ? Promise.resolve() : new Promise((resolve) => waitingForIdle.add(resolve))),
    async close() {
      closed = true
      for (const [id, running] of session.inFlight) if (!session.listeners.has(id)) running.hangUp()
      endSubscriptions(session)
      await Promise.all(coming)
    },
  }
}
