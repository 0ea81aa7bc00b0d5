// Both eras, on one connection, at all times.

import { describe, expect, it } from 'vitest'
import { TOOL_NAMES } from '../../src-shared/tools.ts'
import { isObject, type JsonObject } from './json.ts'
import { MODERN, REVISIONS } from './revisions.ts'
import { ALL, connect, hello, LEGACY, MODERN_META, recorder, result, SERVER_INFO } from './testing.ts'

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const SERVER_META = { 'io.modelcontextprotocol/serverInfo': SERVER_INFO }

describe('initialize', () => {
  it.each(LEGACY)('answers %s with itself', async (revision) => {
    const answer = await connect(recorder()).result('initialize', hello(revision))
    expect(answer['protocolVersion']).toBe(revision)
  })

  it.each(['1999-01-01', '2026-07-28', '2099-01-01', '', 'constructor'])(
    'answers %j, which it does not know, with 2025-11-25',
    async (version) => {
      const answer = await connect(recorder()).result('initialize', hello(version))
      expect(answer['protocolVersion']).toBe('2025-11-25')
    },
  )

  it.each([{}, { protocolVersion: 1 }, { protocolVersion: null, clientInfo: 'x' }])('answers even %j', async (params) => {
    const answer = await connect(recorder()).result('initialize', params)
    expect(answer['protocolVersion']).toBe('2025-11-25')
  })

  it('has in each revision what that revision has', async () => {
    const byRevision = await Promise.all(LEGACY.map((revision) => connect(null).result('initialize', hello(revision))))
    const untitled = { name: SERVER_INFO.name, version: SERVER_INFO.version }
    expect(byRevision.map((answer) => answer['serverInfo'])).toEqual([untitled, untitled, SERVER_INFO, SERVER_INFO])
    const early = { tools: {}, resources: { subscribe: true, listChanged: true }, logging: {} }
    const capabilities = byRevision.map((answer) => answer['capabilities'])
    expect(capabilities).toEqual([early, ...Array.from({ length: 3 }, () => ({ ...early, completions: {} }))])
  })
})

describe('server/discover', () => {
  it('tells the revisions, what there is, and who we are', async () => {
    expect(await connect(null, {}, MODERN).result('server/discover')).toEqual({
      resultType: 'complete',
      supportedVersions: [...REVISIONS],
      capabilities: { tools: {}, resources: { subscribe: true, listChanged: true }, completions: {} },
      instructions: expect.any(String),
      ttlMs: expect.any(Number),
      cacheScope: 'public',
      _meta: SERVER_META,
    })
  })

  it('without the metadata of its era lacks parameters, before and after a handshake', async () => {
    for (const revision of [null, '2025-11-25'] as const) {
      const error = await connect(null, {}, revision).error('server/discover')
      expect(error).toMatchObject({ code: -32602, message: 'Invalid params' })
    }
  })
})

describe('the metadata of the new era', () => {
  it('a version we do not speak is -32022 with what we do', async () => {
    for (const requested of ['1900-01-01', '2025-11-25', '2027-01-01']) {
      const error = await connect(recorder()).error('tools/list', { _meta: { ...MODERN_META, [VERSION]: requested } })
      expect(error).toEqual({ code: -32022, message: 'Unsupported protocol version', data: { supported: [...REVISIONS], requested } })
    }
  })

  it.each([
    ['no capabilities', { [VERSION]: MODERN }],
    ['capabilities that are no object', { [VERSION]: MODERN, [CAPABILITIES]: [] }],
    ['no version', { [CAPABILITIES]: {} }],
    ['a version that is no string', { [VERSION]: 20260728, [CAPABILITIES]: {} }],
  ])('with %s it is invalid, and a call with it is not made but on record', async (_, _meta) => {
    const backend = recorder()
    const error = await connect(backend).error('tools/call', { name: 'get_secret', arguments: { name: 'a' }, _meta })
    expect(error).toMatchObject({ code: -32602, message: 'Invalid params', data: expect.stringContaining('io.modelcontextprotocol/') })
    expect(backend.calls).toEqual([])
    expect(backend.rejected).toMatchObject([{ tool: 'get_secret', fields: ['name'] }])
  })

  it('the name of the client is optional and may be nonsense', async () => {
    for (const clientInfo of [undefined, null, 'x', { name: 1 }, { version: 'x' }]) {
      const backend = recorder()
      const _meta = { ...MODERN_META, 'io.modelcontextprotocol/clientInfo': clientInfo }
      await connect(backend).result('tools/call', { name: 'list_secrets', _meta })
      expect(backend.calls).toMatchObject([{ says: null }])
    }
  })
})

describe('one connection', () => {
  it('serves the old handshake after the new era was tried, and the new era after the handshake', async () => {
    const connection = connect(recorder())
    expect(await connection.result('server/discover', { _meta: MODERN_META })).toHaveProperty('supportedVersions')
    expect(await connection.result('initialize', hello('2025-11-25'))).toMatchObject({ protocolVersion: '2025-11-25' })
    expect(await connection.result('tools/list')).not.toHaveProperty('resultType')
    expect(await connection.result('tools/list', { _meta: MODERN_META })).toMatchObject({ resultType: 'complete' })
    expect(await connection.result('ping')).toEqual({})
  })

  it('takes initialize for the old handshake even with the metadata of the new era', async () => {
    const answer = await connect(recorder()).result('initialize', { ...hello('2025-06-18'), _meta: MODERN_META })
    expect(answer).toMatchObject({ protocolVersion: '2025-06-18' })
  })

  it('may be initialized again with another revision', async () => {
    const connection = connect(recorder(), {}, '2024-11-05')
    await connection.result('initialize', hello('2025-06-18'))
    expect(JSON.stringify(await connection.result('tools/list'))).toContain('outputSchema')
  })

  it('P19: serves a call before any handshake as 2024-11-05', async () => {
    const backend = recorder({ callTool: () => Promise.resolve(result('v', { name: 'a', value: 'v' })) })
    const connection = connect(backend)
    expect(await connection.result('tools/call', { name: 'get_secret', arguments: { name: 'a' } })).toEqual({
      content: [{ type: 'text', text: 'v' }],
    })
    expect(backend.calls).toMatchObject([{ tool: 'get_secret', arguments: { name: 'a' }, says: null }])
  })

  it('passes on who the client says it is, from the handshake or from the request', async () => {
    const backend = recorder()
    const connection = connect(backend, {}, '2025-11-25')
    await connection.result('tools/call', { name: 'list_secrets' })
    await connection.result('tools/call', { name: 'list_secrets', _meta: MODERN_META })
    const long = { name: `${'n'.repeat(198)}\u{1f600}`, version: '1' }
    await connection.result('initialize', { protocolVersion: '2025-11-25', clientInfo: long })
    await connection.result('tools/call', { name: 'list_secrets' })
    expect(backend.calls.map((call) => call.says)).toEqual(['legacy-client 2', 'modern-client 3', `${'n'.repeat(198)}\u{1f600}`])
  })
})

describe('methods by era', () => {
  const params: Record<string, JsonObject> = {
    'logging/setLevel': { level: 'info' },
    'resources/subscribe': { uri: 'countersign://secrets/a' },
    'resources/unsubscribe': { uri: 'countersign://secrets/a' },
    'resources/read': { uri: 'countersign://secrets/a' },
    'tools/call': { name: 'list_secrets' },
    'completion/complete': { ref: { type: 'ref/resource', uri: 'countersign://secrets/{name}' }, argument: { name: 'name', value: '' } },
  }
  const backend = recorder({ readResource: () => Promise.resolve({ text: '{}' }) })

  const both = ['tools/list', 'tools/call', 'resources/list', 'resources/templates/list', 'resources/read', 'completion/complete']
  const legacyOnly = ['ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']

  it.each(ALL.flatMap((revision) => both.map((method) => [method, revision] as const)))('%s is there in %s', async (method, revision) => {
    const answer = await connect(backend, {}, revision).result(method, params[method])
    const cached = ['tools/list', 'resources/list', 'resources/templates/list', 'resources/read'].includes(method)
    if (revision === MODERN) {
      expect(answer).toMatchObject({ resultType: 'complete', _meta: SERVER_META })
      expect([Number.isInteger(answer['ttlMs']), typeof answer['cacheScope']]).toEqual(cached ? [true, 'string'] : [false, 'undefined'])
    } else {
      for (const key of ['resultType', 'ttlMs', 'cacheScope', '_meta']) expect(answer).not.toHaveProperty(key)
    }
  })

  it.each(LEGACY.flatMap((revision) => legacyOnly.map((method) => [method, revision] as const)))(
    '%s is there in %s',
    async (method, revision) => {
      expect(await connect(backend, {}, revision).result(method, params[method])).toEqual({})
    },
  )

  it.each([...legacyOnly, 'initialize'])('%s is gone from 2026-07-28', async (method) => {
    const error = await connect(backend, {}, MODERN).error(method, params[method] ?? {})
    expect(error).toMatchObject({ code: -32601, message: 'Method not found' })
  })

  it.each(['prompts/list', 'tasks/list', 'nope', ''])('%j is in none', async (method) => {
    for (const revision of ALL) expect(await connect(backend, {}, revision).error(method)).toMatchObject({ code: -32601 })
  })

  it('logging/setLevel wants a level there is', async () => {
    for (const level of ['loud', 1, undefined, 'constructor']) {
      expect(await connect(backend).error('logging/setLevel', { level })).toMatchObject({ code: -32602 })
    }
  })
})

describe('tools/list', () => {
  const keys: Record<(typeof REVISIONS)[number], string[]> = {
    '2024-11-05': ['name', 'description', 'inputSchema'],
    '2025-03-26': ['name', 'description', 'inputSchema', 'annotations'],
    '2025-06-18': ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'],
    '2025-11-25': ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'],
    '2026-07-28': ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'],
  }

  it.each(ALL)('has the five tools in the shape of %s, host or no host', async (revision) => {
    const { tools } = await connect(null, {}, revision).result('tools/list')
    const list = Array.isArray(tools) ? tools.filter(isObject) : []
    expect(list.map((tool) => tool['name'])).toEqual([...TOOL_NAMES])
    for (const tool of list.filter(({ name }) => name !== 'get_secret')) {
      expect(Object.keys(tool).toSorted()).toEqual(keys[revision].toSorted())
    }
  })

  it.each(ALL)('promises no structured content for the value of a secret in %s', async (revision) => {
    const { tools } = await connect(null, {}, revision).result('tools/list')
    const list = Array.isArray(tools) ? tools.filter(isObject) : []
    const get = list.find(({ name }) => name === 'get_secret') ?? {}
    expect(Object.keys(get).toSorted()).toEqual(keys[revision].filter((key) => key !== 'outputSchema').toSorted())
  })

  it('has the title inside the annotations where only these have one', async () => {
    const { tools } = await connect(null, {}, '2025-03-26').result('tools/list')
    expect(tools).toMatchObject([{ annotations: { title: 'Get secret', readOnlyHint: true, openWorldHint: false } }, {}, {}, {}, {}])
  })

  it('knows no cursor', async () => {
    for (const cursor of ['x', '', 1]) {
      expect(await connect(null).error('tools/list', { cursor })).toMatchObject({ code: -32602 })
    }
    expect(await connect(null).result('tools/list', { cursor: null })).toHaveProperty('tools')
  })
})
