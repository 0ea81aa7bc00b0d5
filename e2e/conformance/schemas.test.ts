// Every kind of message that we send, in each revision that has a schema, held against that schema, on both transports.

import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src-main/mcp/json.ts'
import { startBridge } from '../support/bridge.ts'
import { openHttpDesk, post, type HttpDesk } from '../support/http.ts'
import { modernMeta } from '../support/revisions.ts'
import { openSchemas, WITH_SCHEMA, type WithSchema } from './schemas.ts'
import { suite } from './suite.ts'

interface Asked {
  method: string
  params?: JsonObject
  /** A person says yes meanwhile. */
  allow?: true
}

const hello = (protocolVersion: string) => ({ protocolVersion, capabilities: {}, clientInfo: { name: 'e2e', version: '1' } })
const call = (name: string, args: JsonObject = {}, meta: JsonObject = {}) => ({
  method: 'tools/call',
  params: { name, arguments: args, _meta: meta },
})

const BOTH: Asked[] = [
  { method: 'tools/list' },
  { ...call('store_secret', { name: 'a/b', value: 'v', force: true }, { progressToken: 'p' }), allow: true },
  call('get_secret', { name: 'a/b' }),
  call('list_secrets'),
  call('test_policy', { scope: 'http', secret_name: 'a/b' }),
  call('get_secret', { name: 'none' }),
  call('get_secret', {}),
  call('no_such_tool'),
  { ...call('remove_secret', { name: 'a/b' }), allow: true },
  { method: 'tools/call', params: {} },
  { method: 'resources/list' },
  { method: 'resources/list', params: { cursor: 'x' } },
  { method: 'resources/templates/list' },
  { method: 'resources/read', params: { uri: 'countersign://policies/http' } },
  { method: 'resources/read', params: { uri: 'countersign://policies/none' } },
  {
    method: 'completion/complete',
    params: { ref: { type: 'ref/resource', uri: 'countersign://policies/{name}' }, argument: { name: 'name', value: '' } },
  },
  { method: 'no/such' },
]
const LEGACY: Asked[] = [
  { method: 'ping' },
  { method: 'logging/setLevel', params: { level: 'info' } },
  { method: 'resources/subscribe', params: { uri: 'countersign://policies/http' } },
  { method: 'resources/unsubscribe', params: { uri: 'countersign://policies/http' } },
]

function tour(revision: WithSchema): Asked[] {
  if (revision !== '2026-07-28') return [{ method: 'initialize', params: hello(revision) }, ...LEGACY, ...BOTH]
  return [{ method: 'server/discover' }, ...BOTH].map(({ params = {}, ...asked }) => ({
    ...asked,
    params: { ...params, _meta: { ...modernMeta(), ...(params['_meta'] as object | undefined) } },
  }))
}

type Speak = (asked: Asked, id: number) => Promise<JsonObject[]>

function overHttp(desk: HttpDesk, revision: WithSchema): Speak {
  return async ({ method, params }, id) => {
    const name = params?.['name'] ?? params?.['uri']
    const mirrored = { 'mcp-method': method, ...(typeof name === 'string' ? { 'mcp-name': name } : {}) }
    const headers = { 'mcp-protocol-version': revision, ...(revision === '2026-07-28' ? mirrored : {}) }
    const { messages } = await post(desk.mcp, desk.token, { jsonrpc: '2.0', id, method, ...(params && { params }) }, { headers })
    return messages as unknown as JsonObject[]
  }
}

async function overStdio(desk: HttpDesk): Promise<Speak> {
  await desk.someone.ask('clients.register', { id: 'stdio', name: 'stdio', policy: 'http' })
  const bridge = startBridge({ home: desk.home, client: 'stdio' })
  return async ({ method, params }, id) => {
    const before = bridge.messages.length
    bridge.send({ jsonrpc: '2.0', id, method, ...(params && { params }) })
    await bridge.find((message) => message.id === id && message.method === undefined)
    return bridge.messages.slice(before) as unknown as JsonObject[]
  }
}

describe.each(WITH_SCHEMA)('every message of %s is what its schema says', (revision) => {
  test.for(['over HTTP', 'over stdio'])('%s', async (how, { skip }) => {
    if ('missing' in suite) return skip(suite.missing)
    const examine = openSchemas(suite.folder)
    const desk = await openHttpDesk()
    const speak = how === 'over HTTP' ? overHttp(desk, revision) : await overStdio(desk)
    const kinds = new Set<string>()
    const faults: unknown[] = []
    for (const [index, asked] of tour(revision).entries()) {
      const said = speak(asked, index + 1)
      if (asked.allow) await desk.someone.answerNext('allow')
      for (const message of await said) {
        kinds.add(typeof message['method'] === 'string' ? message['method'] : 'error' in message ? 'error' : asked.method)
        const found = examine(revision, message, asked.method)
        if (found.length > 0) faults.push({ message, found })
      }
    }
    expect(faults).toEqual([])
    expect(kinds).toContain('notifications/progress')
    expect(kinds).toContain('tools/call')
    expect(kinds.size).toBeGreaterThanOrEqual(revision === '2026-07-28' ? 9 : 12)
  })
})

test('the schemas are what judges: a message with a fault is found', async ({ skip }) => {
  if ('missing' in suite) return skip(suite.missing)
  const examine = openSchemas(suite.folder)
  for (const revision of WITH_SCHEMA) {
    expect(examine(revision, { jsonrpc: '2.0', id: 1, result: { tools: 'none' } }, 'tools/list')).not.toEqual([])
    expect(examine(revision, { jsonrpc: '2.0', id: 1, error: { code: 'x' } })).not.toEqual([])
    expect(examine(revision, { jsonrpc: '2.0', method: 'notifications/progress', params: {} })).not.toEqual([])
  }
})
