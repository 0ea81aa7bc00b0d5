// The suite speaks HTTP alone. This puts our own HTTP door in front of a bridge: what comes in goes down its stdin as one line,
// and what comes up its stdout goes back as the answer to whom it belongs.

import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { isObject, type JsonObject } from '../../src-main/mcp/json.ts'
import { classify, type Id, type Notification, type Response } from '../../src-main/mcp/jsonrpc.ts'
import { metaOf, SUBSCRIPTION_KEY } from '../../src-main/mcp/revisions.ts'
import type { Answerer } from '../../src-main/web/mcp/exchange.ts'
import { serveMcp, type McpHttp } from '../../src-main/web/mcp/server.ts'

export const TOKEN = 'suite'

/** A request on its way: the bridge knows it by a number of ours, since clients that do not know each other use equal ids. */
interface Flying {
  id: Id
  progressToken: unknown
  isStream: boolean
  notify: (message: Notification) => void
  answer: (response: Response | null) => void
}

export async function serveStdio(child: ChildProcess): Promise<McpHttp> {
  const client = {
    id: 'suite',
    name: 'suite',
    policy: '',
    created: 0,
    program: null,
    keyGeneration: 1,
    previousKeyValid: false,
    paused: false,
  }
  const http = {
    recognise: () => ({ owner: client.id, hash: Buffer.alloc(0) }),
    admit: () => client,
    settings: () => null,
    onEnded: () => () => undefined,
    refused: () => undefined,
    report: () => undefined,
  }
  const host = { http, dispatch: () => Promise.resolve(null), subscribe: () => () => undefined }
  const inspect = () => Promise.resolve({ steps: [], proven: false })
  return serveMcp({ host, port: 0, inspect, onBug: console.error, answer: throughStdio(child) })
}

function throughStdio(child: ChildProcess): Answerer {
  const flying = new Map<number, Flying>()
  let last = 0
  const say = (message: unknown) => child.stdin?.write(`${JSON.stringify(message)}\n`)

  if (child.stdout !== null) createInterface({ input: child.stdout }).on('line', (line) => deliver(JSON.parse(line) as JsonObject))

  function deliver(message: JsonObject): void {
    if (typeof message['method'] !== 'string') {
      const request = flying.get(Number(message['id']))
      flying.delete(Number(message['id']))
      // What a bridge writes that has no method is an answer.
      request?.answer(restored(message, request.id) as unknown as Response)
      return
    }
    const owner = ownerOf(message)
    if (owner !== undefined) owner.notify(restored(message, owner.id) as unknown as Notification)
  }

  /** Progress and changes say whose they are; a question or a log line belongs to the call that is under way. */
  function ownerOf(message: JsonObject): Flying | undefined {
    const params = isObject(message['params']) ? message['params'] : {}
    const subscription = metaOf(params)[SUBSCRIPTION_KEY] ?? params['requestId']
    if (subscription !== undefined) return flying.get(Number(subscription))
    const all = [...flying.values()].filter(({ isStream }) => !isStream)
    return all.find(({ progressToken }) => params['progressToken'] !== undefined && progressToken === params['progressToken']) ?? all.at(-1)
  }

  return (_core, _session, message, link) => {
    const incoming = classify(message)
    if (incoming.kind !== 'request' || !isObject(message)) {
      say(message)
      return null
    }
    const number = ++last
    return new Promise((resolve) => {
      const params = isObject(incoming.params) ? incoming.params : {}
      flying.set(number, {
        id: incoming.id,
        progressToken: metaOf(params)['progressToken'],
        isStream: incoming.method === 'subscriptions/listen',
        notify: link.notify,
        answer: resolve,
      })
      link.onGone(() => {
        if (!flying.delete(number)) return
        say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: number } })
        resolve(null)
      })
      say({ ...message, id: number })
    })
  }
}

/** The message with the client's own id wherever the bridge wrote our number. */
function restored(message: JsonObject, id: Id): JsonObject {
  const back = 'id' in message && typeof message['method'] !== 'string' ? { ...message, id: message['id'] === null ? null : id } : message
  for (const field of ['params', 'result'] as const) {
    const part = back[field]
    if (!isObject(part)) continue
    const tagged = SUBSCRIPTION_KEY in metaOf(part) ? { ...part, _meta: { ...metaOf(part), [SUBSCRIPTION_KEY]: id } } : part
    const renamed = 'requestId' in tagged ? { ...tagged, requestId: id } : tagged
    if (renamed !== part) return { ...back, [field]: renamed }
  }
  return back
}
