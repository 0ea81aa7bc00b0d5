// Every error code of the protocol, in each of its revisions, from the built bridge.

import { describe, expect, test } from 'vitest'
import { TOOL_NAMES } from '../src-shared/tools.ts'
import { startBridge, type Message, type RunningBridge } from './support/bridge.ts'
import { openDesk } from './support/desk.ts'
import { freshHome } from './support/host.ts'
import { LEGACY, modernMeta, REVISIONS, speak, type Revision } from './support/revisions.ts'

const MODERN = '2026-07-28'
const later = (revision: Revision, first: Revision) => revision >= first

/** Sends a line as it is and waits for the error that names no request. */
async function errorTo(bridge: RunningBridge, line: string | Buffer): Promise<Message> {
  const before = bridge.messages.length
  bridge.write(line)
  bridge.write('\n')
  await bridge.find((message) => bridge.messages.indexOf(message) >= before && message.id === null)
  const errors = bridge.messages.slice(before).filter(({ id }) => id === null)
  expect(errors).toHaveLength(1)
  return errors[0] ?? expect.fail('no error came')
}

const errorOf = (code: number, message: string, data: unknown) => ({ error: { code, message, data } })
const someText = expect.stringMatching(/\w/)

describe.each(REVISIONS)('in %s', (revision) => {
  const noHost = () => startBridge({ home: freshHome() })

  test('what is not JSON, not UTF-8, or not a request is an error without an id, and the next line is served', async () => {
    const bridge = noHost()
    const speaker = await speak(bridge, revision)
    const parse = { jsonrpc: '2.0', id: null, ...errorOf(-32700, 'Parse error', someText) }
    const invalid = { jsonrpc: '2.0', id: null, ...errorOf(-32600, 'Invalid Request', someText) }
    for (const line of ['{"jsonrpc":', 'hello', '{"jsonrpc":"2.0","id":1,"method":"ping"} {}', "{'a':1}"]) {
      expect(await errorTo(bridge, line)).toEqual(parse)
    }
    expect(await errorTo(bridge, Buffer.from([0x22, 0xff, 0xfe, 0x22]))).toEqual(parse)
    for (const line of ['42', 'null', '"text"', '[]', '{}', '{"jsonrpc":"2.0","id":null,"method":"ping"}']) {
      expect(await errorTo(bridge, line)).toEqual(invalid)
    }
    expect(await errorTo(bridge, '['.repeat(33) + ']'.repeat(33))).toEqual(invalid)
    expect(await errorTo(bridge, `"${'x'.repeat(1024 * 1024)}"`)).toEqual(invalid)
    bridge.send({ jsonrpc: '1.0', id: 'old', method: 'tools/list' })
    expect(await bridge.find(({ id }) => id === 'old')).toMatchObject(errorOf(-32600, 'Invalid Request', someText))
    expect(await speaker.request('tools/list')).toHaveProperty('result.tools.length', 5)
  })

  test('an unknown method is not found, whatever it is called', async () => {
    const speaker = await speak(noHost(), revision)
    const strange = ['no/such', 'constructor', '__proto__', 'toString', 'prompts/list', 'approvals.answer', '']
    const gone = revision === MODERN ? ['ping', 'logging/setLevel', 'resources/subscribe'] : []
    for (const method of [...strange, ...gone]) {
      expect(await speaker.request(method)).toMatchObject(errorOf(-32601, 'Method not found', someText))
    }
  })

  test('wrong params are named', async () => {
    const { client } = await openDesk()
    const bridge = await client('cursor', { reads: 'always' })
    const speaker = await speak(bridge, revision)
    const wrong = (data: unknown) => errorOf(-32602, 'Invalid params', data)
    expect(await speaker.request('tools/call', { arguments: {} })).toMatchObject(wrong('name must be a string'))
    expect(await speaker.request('tools/list', { cursor: 'made up' })).toMatchObject(wrong(someText))
    expect(await speaker.request('resources/list', { cursor: 'made up' })).toMatchObject(wrong('cursor is not one of ours'))
    expect(await speaker.request('resources/read', {})).toMatchObject(wrong('uri must be a string'))
    expect(await bridge.request('tools/call', [])).toMatchObject(wrong('params must be an object'))
    const missing = await speaker.request('resources/read', { uri: 'countersign://secrets/nowhere' })
    if (revision === MODERN) {
      expect(missing).toMatchObject(errorOf(-32602, 'Resource not found', { uri: 'countersign://secrets/nowhere' }))
    } else {
      expect(missing).toMatchObject(errorOf(-32002, 'Resource not found', 'No such resource: countersign://secrets/nowhere'))
    }

    const broken: [string, unknown, string][] = [
      ['get_secret', undefined, "Invalid argument 'name': is required"],
      ['get_secret', { name: 7 }, "Invalid argument 'name': must be a string"],
      ['get_secret', ['a'], "Invalid argument 'arguments': must be an object"],
      ['list_secrets', { scope: 1 }, "Invalid argument 'scope': must be a string"],
      ['store_secret', { name: 'a' }, "Invalid argument 'value': is required"],
      ['remove_secret', { name: '' }, "Invalid argument 'name': must not be empty"],
      ['test_policy', { scope: 'default' }, "Invalid argument 'secret_name': is required"],
    ]
    for (const [tool, args, sentence] of broken) {
      const answer = await speaker.call(tool, args)
      if (later(revision, '2025-11-25')) {
        expect(answer.result).toMatchObject({ isError: true, content: [{ type: 'text', text: `Error: ${sentence}` }] })
      } else expect(answer).toMatchObject(wrong(sentence))
    }
  })

  test('with no host the handshake and the list of tools are there, a call says what to do, and a resource is not available, which is no mistake of ours', async () => {
    const bridge = noHost()
    const speaker = await speak(bridge, revision)
    expect(await speaker.request('tools/list')).toHaveProperty('result.tools.length', 5)
    const sentence = 'Countersign is not running. Start it, then repeat the call.'
    const [call, resources] = await Promise.all([speaker.call('get_secret', { name: 'a' }), speaker.request('resources/list')])
    expect(call.result).toMatchObject({ content: [{ type: 'text', text: `Error: ${sentence}` }], isError: true })
    expect(resources).toMatchObject(errorOf(-31000, 'Not available', sentence))
    const read = await speaker.request('resources/read', { uri: 'countersign://policies' })
    expect(read).toMatchObject(errorOf(-31000, 'Not available', sentence))
    // Suggestions are a courtesy: none is an answer.
    expect(
      await speaker.request('completion/complete', {
        ref: { type: 'ref/tool', name: 'get_secret' },
        argument: { name: 'name', value: '' },
      }),
    ).toHaveProperty('result.completion.values', [])
  })

  test('the tools have the shape of the revision', async () => {
    const speaker = await speak(noHost(), revision)
    const { result } = await speaker.request('tools/list')
    const tools = result?.['tools'] as Record<string, unknown>[]
    expect(tools.map(({ name }) => name)).toEqual([...TOOL_NAMES])
    for (const tool of tools) {
      expect('title' in tool).toBe(later(revision, '2025-06-18'))
      // The value of a secret is given once, as text.
      expect('outputSchema' in tool).toBe(later(revision, '2025-06-18') && tool['name'] !== 'get_secret')
      expect('annotations' in tool).toBe(later(revision, '2025-03-26'))
    }
    if (revision === MODERN) expect(result).toMatchObject({ resultType: 'complete', ttlMs: expect.any(Number), cacheScope: 'public' })
    else expect(result).toEqual({ tools })
  })
})

test('a version nobody knows is refused by the newest revision and answered by the older ones', async () => {
  const bridge = startBridge({ home: freshHome() })
  for (const revision of LEGACY) expect((await bridge.initialize(revision)).result).toMatchObject({ protocolVersion: revision })
  for (const unknown of ['1999-01-01', '2030-01-01', MODERN, '']) {
    expect((await bridge.initialize(unknown)).result).toMatchObject({ protocolVersion: '2025-11-25' })
  }
  expect(await bridge.request('tools/list', { _meta: modernMeta('2030-01-01') })).toMatchObject({
    error: { code: -32022, data: { supported: expect.arrayContaining([...REVISIONS]), requested: '2030-01-01' } },
  })
  expect(await bridge.request('server/discover', {})).toMatchObject(errorOf(-32602, 'Invalid params', someText))
})

test('both eras are served on one connection at all times, in any order', async () => {
  const bridge = startBridge({ home: freshHome() })
  const discover = () => bridge.request('server/discover', { _meta: modernMeta() })
  expect((await discover()).result).toMatchObject({ supportedVersions: [...REVISIONS], resultType: 'complete' })
  expect((await bridge.request('tools/list')).result).not.toHaveProperty('resultType')
  expect((await bridge.initialize('2025-06-18')).result).toMatchObject({ protocolVersion: '2025-06-18' })
  expect((await discover()).result).toMatchObject({ resultType: 'complete' })
  expect((await bridge.request('ping')).result).toEqual({})
  expect((await bridge.initialize('2024-11-05')).result).toMatchObject({ protocolVersion: '2024-11-05' })
  expect((await bridge.request('tools/list', { _meta: modernMeta() })).result).toMatchObject({ resultType: 'complete' })
})
