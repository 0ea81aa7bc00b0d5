import { describe, expect, test } from 'vitest'
import { hello } from '../../mcp/testing.ts'
import { callOf, modern, openDesk, rpc, saying, send, textOf, type Sent, sharedDesk } from './testing.ts'

const theDesk = sharedDesk()
/** On a machine that may be busy. */
const SOON = { timeout: 15_000 }
/** A hundred secrets are a hundred items in a real keychain. */
const MANY = { timeout: 180_000 }
const LEGACY = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']
const notification = (method: string, params?: object) => ({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) })

describe('up to 2025-11-25', () => {
  test('the handshake is answered in the version that was asked for, without a session', async () => {
    const desk = theDesk()
    for (const version of LEGACY) {
      const answered = await send(desk, { body: rpc('initialize', hello(version)) })
      expect([answered.status, answered.json?.result?.['protocolVersion']]).toEqual([200, version])
      expect(answered.headers['mcp-session-id']).toBeUndefined()
      // Nobody could be told of changes: there is no stream to tell it on.
      expect(answered.json?.result?.['capabilities']).toMatchObject({ tools: {}, resources: {} })
      expect(JSON.stringify(answered.json)).not.toContain('listChanged')
    }
    const unknown = await send(desk, { body: rpc('initialize', hello('2031-01-01')) })
    expect([unknown.status, unknown.json?.result?.['protocolVersion']]).toEqual([200, '2025-11-25'])
  })

  test('a notification is received, with nothing to say about it', async () => {
    const desk = theDesk()
    for (const body of [notification('notifications/initialized', {}), notification('notifications/whatever')]) {
      const answered = await send(desk, { headers: saying('2025-06-18'), body })
      expect([answered.status, answered.text]).toEqual([202, ''])
    }
  })

  test.each<[string, number, number, Sent]>([
    ['what is not JSON', 400, -32700, { body: '{"jsonrpc":' }],
    ['nothing at all', 400, -32700, { body: '' }],
    ['an object without a method', 400, -32600, { body: {} }],
    ['a request without a method', 400, -32600, { body: { jsonrpc: '2.0', id: 1 } }],
    ['an answer to what nobody asked', 400, -32600, { body: { jsonrpc: '2.0', id: 1, result: {} } }],
    ['an error about what nobody sent', 400, -32600, { body: { jsonrpc: '2.0', id: null, error: { code: 1, message: 'x' } } }],
    ['a request whose id is null', 400, -32600, { body: { jsonrpc: '2.0', id: null, method: 'ping' } }],
    ['what nests too deep', 400, -32600, { body: '['.repeat(100_000) }],
    ['a method that does not exist', 200, -32601, { body: rpc('constructor') }],
    ['a tool without a name', 400, -32602, { body: rpc('tools/call', {}) }],
    ['a cursor that is not ours', 400, -32602, { body: rpc('resources/list', { cursor: 'x' }) }],
    ['arguments that break their schema', 400, -32602, { body: callOf('get_secret', {}) }],
    ['a resource that does not exist', 404, -32002, { body: rpc('resources/read', { uri: 'countersign://secrets/none' }) }],
  ])('%s is %i with %i in the body', async (_what, status, code, sent) => {
    const desk = theDesk()
    const answered = await send(desk, { headers: saying('2025-06-18'), ...sent })
    expect([answered.status, answered.json?.error?.code]).toEqual([status, code])
    expect(answered.headers['content-type']).toBe('application/json')
    expect(typeof answered.json?.error?.data).toBe('string')
  })

  test('bytes that are not UTF-8 are not read as anything else', async () => {
    const desk = theDesk()
    const body = Buffer.from(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_secret","arguments":{"name":"\xff\xfe"}}}',
      'latin1',
    )
    const answered = await fetch(desk.mcp.url, {
      method: 'POST',
      headers: { authorization: `Bearer ${desk.token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body,
    })
    expect(answered.status).toBe(400)
    expect(await answered.json()).toMatchObject({ id: null, error: { code: -32700 } })
  })

  test('any version we know may stand in the header; without one it is 2025-03-26; an unknown one is 400', async () => {
    const desk = theDesk()
    for (const version of LEGACY) expect((await send(desk, { headers: saying(version), body: rpc('ping') })).status).toBe(200)
    const batch = [rpc('ping', undefined, 1), callOf('list_secrets', {}, 'b'), notification('notifications/initialized')]
    const answered = await send(desk, { body: batch })
    expect(answered.status).toBe(200)
    expect(answered.json).toMatchObject([{ id: 1, result: {} }, { id: 'b' }])
    expect((await send(desk, { body: [notification('notifications/initialized')] })).status).toBe(202)
    expect((await send(desk, { headers: saying('2025-06-18'), body: batch })).json?.error?.code).toBe(-32600)
    for (const version of ['1999-01-01', '', 'latest', '2025-06-18, 2025-06-18']) {
      const refused = await send(desk, { headers: saying(version), body: rpc('ping', undefined, 7) })
      expect([version, refused.status, refused.json?.id, refused.json?.error?.code]).toEqual([version, 400, 7, -32022])
      expect(refused.json?.error?.data).toMatchObject({ requested: version, supported: expect.arrayContaining(LEGACY) as unknown })
    }
  })

  test('a failing tool is a result, also one that does not exist', async () => {
    const desk = theDesk()
    const answered = await send(desk, { body: callOf('get_secret', { name: 'none' }) })
    expect([answered.status, textOf(answered)]).toEqual([200, 'Error: Secret not found: none'])
    expect(textOf(await send(desk, { body: callOf('approvals.answer', { id: 'x' }) }))).toBe('Error: Unknown tool: approvals.answer')
    for (const tool of ['add_token', 'list_tokens', 'export_backup']) {
      expect(textOf(await send(desk, { body: callOf(tool, { client: 'x', policy: 'default' }) }))).toBe(`Error: Unknown tool: ${tool}`)
    }
  })

  test('a tool called as a notification does nothing, and is on record', async () => {
    const desk = await openDesk()
    const answered = await send(desk, { body: notification('tools/call', { name: 'store_secret', arguments: { name: 'a', value: 'b' } }) })
    expect([answered.status, answered.text]).toEqual([202, ''])
    await expect.poll(async () => (await desk.rows()).find(({ outcome }) => outcome === 'rejected')?.tool, SOON).toBe('store_secret')
    expect(await desk.window('secrets.list')).toEqual([])
  })
})

describe('2026-07-28', () => {
  test('a request carries everything with it; results say that they are complete and how long they keep', async () => {
    const desk = theDesk()
    const answered = await send(desk, modern('server/discover'))
    expect(answered.status).toBe(200)
    expect(answered.json?.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: expect.arrayContaining(['2026-07-28', ...LEGACY]) as unknown,
      capabilities: { resources: { subscribe: true, listChanged: true } },
      ttlMs: expect.any(Number) as unknown,
    })
    const called = await send(desk, modern('tools/call', { name: 'list_secrets', arguments: {} }))
    expect(called.json?.result).toMatchObject({ resultType: 'complete', structuredContent: { names: [] } })
  })

  test('both eras on one server, also on one connection, and the old handshake after the new discovery', async () => {
    const desk = theDesk()
    expect((await send(desk, modern('server/discover'))).status).toBe(200)
    expect((await send(desk, { headers: saying('2026-07-28'), body: rpc('initialize', hello('2025-11-25')) })).json?.result).toMatchObject({
      protocolVersion: '2025-11-25',
    })
    expect((await send(desk, { headers: saying('2025-11-25'), body: rpc('ping') })).status).toBe(200)
  })

  test('a method it does not have is 404 with the error in the body', async () => {
    const desk = theDesk()
    for (const method of ['ping', 'initialize', 'logging/setLevel', 'resources/subscribe', 'no/such', 'constructor']) {
      const answered = await send(desk, modern(method, {}, 'x'))
      expect([method, answered.status, answered.json?.id, answered.json?.error?.code]).toEqual([method, 404, 'x', -32601])
    }
  })

  test('headers that are missing or say something else than the body are refused, and such a call is on record', async () => {
    const desk = await openDesk()
    const call = modern('tools/call', { name: 'list_secrets', arguments: {} }, 9)
    const encoded = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`
    const wrong: Record<string, string | undefined>[] = [
      { 'MCP-Protocol-Version': undefined },
      { 'MCP-Protocol-Version': '2025-11-25' },
      { 'MCP-Protocol-Version': 'v999' },
      { 'Mcp-Method': undefined },
      { 'Mcp-Method': 'tools/list' },
      { 'Mcp-Method': 'TOOLS/CALL' },
      { 'Mcp-Name': undefined },
      { 'Mcp-Name': 'get_secret' },
      { 'Mcp-Name': encoded('get_secret') },
      { 'Mcp-Name': '=?base64?bGlzdF9zZWNyZXRz!?=' },
      { 'Mcp-Name': '=?base64?bGlzdF9zZWNyZXRzIA?=' },
    ]
    for (const headers of wrong) {
      const answered = await send(desk, { ...call, headers: { ...call.headers, ...headers } })
      expect([headers, answered.status, answered.json?.id, answered.json?.error?.code]).toEqual([headers, 400, 9, -32020])
    }
    for (const name of ['  list_secrets  ', encoded('list_secrets')]) {
      expect((await send(desk, { ...call, headers: { ...call.headers, 'Mcp-Name': name } })).status).toBe(200)
    }
    await expect.poll(async () => (await desk.rows()).filter(({ outcome }) => outcome === 'rejected').length, SOON).toBe(wrong.length)
  })

  test('a version nobody knows is refused with those we know', async () => {
    const desk = theDesk()
    const _meta = { 'io.modelcontextprotocol/protocolVersion': 'v999', 'io.modelcontextprotocol/clientCapabilities': {} }
    const sent = modern('server/discover', { _meta }, 3)
    const answered = await send(desk, { ...sent, headers: { ...sent.headers, ...saying('v999') } })
    expect([answered.status, answered.json]).toMatchObject([400, { id: 3, error: { code: -32022, data: { requested: 'v999' } } }])
  })

  test('what every request must say about itself, and a resource that does not exist, are 400 with -32602', async () => {
    const desk = theDesk()
    const bare = await send(desk, { headers: { ...saying('2026-07-28'), 'Mcp-Method': 'tools/list' }, body: rpc('tools/list', {}, 4) })
    expect([bare.status, bare.json?.id, bare.json?.error?.code]).toEqual([400, 4, -32602])
    const uri = 'countersign://secrets/none'
    const missing = await send(desk, modern('resources/read', { uri }))
    expect([missing.status, missing.json?.error]).toEqual([400, { code: -32602, message: 'Resource not found', data: { uri } }])
  })
})

describe('what is read and listed', () => {
  test('names, its own policy and its own calls, in pages; never a value, and nothing outside its policy', MANY, async () => {
    const desk = await openDesk()
    await desk.window('policies.save', { name: 'dev', description: '', allow: ['dev/*'], deny: [], reads: 'always' })
    const token = await desk.client('ci', 'dev')
    for (let i = 0; i < 105; i++) await desk.window('secrets.store', { name: `dev/${String(i).padStart(3, '0')}`, value: `v-${i}` })
    await desk.window('secrets.store', { name: 'prod/key', value: 'v-prod' })
    const page = async (cursor?: string) => {
      const { result } =
        (await send(desk, { token, headers: saying('2025-11-25'), body: rpc('resources/list', cursor === undefined ? {} : { cursor }) }))
          .json ?? {}
      return result as { resources: { uri: string }[]; nextCursor?: string }
    }
    const first = await page()
    const second = await page(first.nextCursor)
    const uris = [...first.resources, ...second.resources].map(({ uri }) => uri)
    expect(first.resources).toHaveLength(100)
    expect('nextCursor' in second).toBe(false)
    expect(new Set(uris).size).toBe(106)
    expect(uris).toContain('countersign://policies/dev')
    expect(uris.some((uri) => uri.includes('prod'))).toBe(false)

    const read = async (uri: string, as = token) =>
      send(desk, { token: as, headers: saying('2025-11-25'), body: rpc('resources/read', { uri }) })
    const secret = await read('countersign://secrets/dev%2F001')
    expect(secret.text).toContain('dev/001')
    expect(secret.text).not.toContain('v-1')
    expect((await read('countersign://secrets/prod%2Fkey')).status).toBe(404)
    await send(desk, { token, body: callOf('get_secret', { name: 'dev/001' }) })
    const seq = (await desk.rows()).find(({ tool }) => tool === 'get_secret')?.seq
    expect((await read(`countersign://audit/${seq}`)).status).toBe(200)
    expect((await read(`countersign://audit/${seq}`, desk.token)).status).toBe(404)
  })
})
