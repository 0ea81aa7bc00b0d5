// Bad input gets one clear error, and the next message is served.

import { describe, expect, it } from 'vitest'
import { createFrameReader } from './framing.ts'
import { MAX_MESSAGE_BYTES } from './server.ts'
import { connect, deferred, hello, MODERN_META, recorder, result, type Connection } from './testing.ts'

const PING = { jsonrpc: '2.0', id: 'ping', method: 'ping' }
const PONG = { jsonrpc: '2.0', id: 'ping', result: {} }

/** Bytes in, as a transport would hand them on. */
function stream(connection: Connection): (bytes: Uint8Array | string) => void {
  const reader = createFrameReader({ maxBytes: MAX_MESSAGE_BYTES, onLine: connection.receive, onFault: connection.fault })
  return (bytes) => reader.push(typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes)
}

const error = (code: number, message: string, data: string, id: unknown = null): object => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, data },
})

describe('a line that is no message', () => {
  it('P01: broken JSON is a parse error with id null, and the ping after it is answered', () => {
    const connection = connect(recorder())
    stream(connection)(`{"jsonrpc":\n${JSON.stringify(PING)}\n`)
    expect(connection.sent).toEqual([error(-32700, 'Parse error', 'The message is not JSON'), PONG])
  })

  it('P02: 100 MB without a line feed is one error, and the ping after it is answered', () => {
    const backend = recorder()
    const connection = connect(backend)
    const push = stream(connection)
    const chunk = new Uint8Array(1e6).fill(0x20)
    for (let i = 0; i < 100; i++) push(chunk)
    expect(connection.sent).toEqual([error(-32600, 'Invalid Request', 'The message is longer than 1 MiB')])
    push(`\n${JSON.stringify(PING)}\n`)
    expect(connection.sent).toHaveLength(2)
    expect(connection.sent[1]).toEqual(PONG)
    expect(backend.rejected).toEqual([{ tool: null, fields: [], reason: 'too long', says: null }])
  })

  it('P04: a name with bytes that are no UTF-8 is a parse error and is never looked up', () => {
    const backend = recorder()
    const connection = connect(backend)
    const call = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_secret","arguments":{"name":"??"}}}\n')
    call.set([0xff, 0xfe], call.indexOf('??'))
    stream(connection)(call)
    connection.say(PING)
    expect(connection.sent).toEqual([error(-32700, 'Parse error', 'The message is not UTF-8'), PONG])
    expect(backend.calls).toEqual([])
  })

  it('P06: arguments of 100,000 nested arrays are refused, on record, and the ping after it is answered', () => {
    const backend = recorder()
    const connection = connect(backend)
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    connection.receive(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_secret","arguments":${deep}}}`)
    connection.say(PING)
    expect(connection.sent).toEqual([error(-32600, 'Invalid Request', 'The message is nested deeper than 32 levels'), PONG])
    expect(backend.calls).toEqual([])
    expect(backend.rejected).toEqual([{ tool: null, fields: [], reason: 'too deep', says: null }])
  })

  it('P16: CRLF, blank lines, leading spaces and a byte order mark are no trouble', () => {
    const connection = connect(recorder())
    stream(connection)(`\ufeff${JSON.stringify(PING)}\r\n\r\n\n   ${JSON.stringify(PING)}\n`)
    expect(connection.sent).toEqual([PONG, PONG])
  })

  it.each([['null'], ['1'], ['"text"'], ['true'], ['{}'], ['{"jsonrpc":"2.0"}'], ['{"jsonrpc":"2.0","method":1}'], ['{"method":"ping"}']])(
    '%s is an invalid request without an id',
    (line) => {
      const connection = connect(recorder())
      connection.receive(line)
      connection.say(PING)
      expect(connection.sent).toMatchObject([{ id: null, error: { code: -32600, message: 'Invalid Request' } }, PONG])
    },
  )

  it('keeps the id of an invalid request that has a usable one', () => {
    const connection = connect(recorder())
    connection.say({ id: 7, method: 'ping' })
    connection.say({ jsonrpc: '2.0', id: 'x' })
    connection.say({ jsonrpc: '1.0', id: 'y', method: 'ping' })
    expect(connection.sent).toMatchObject([
      { id: 7, error: { code: -32600 } },
      { id: 'x', error: { code: -32600 } },
      { id: 'y', error: { code: -32600 } },
    ])
  })

  it('does not answer answers', () => {
    const connection = connect(recorder())
    connection.say({ jsonrpc: '2.0', id: 1, result: {} })
    connection.say({ jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } })
    connection.say({ jsonrpc: '2.0', id: null, error: { code: 1, message: 'x' } })
    expect(connection.sent).toEqual([])
  })
})

describe('ids', () => {
  it.each([1, '1', 1.5, 0, -1, '', 'é\ud83d\ude00', 2 ** 53 - 1])('P10: %j is echoed with its type', async (id) => {
    const connection = connect(recorder())
    expect(await connection.ask('ping', {}, id)).toEqual({ jsonrpc: '2.0', id, result: {} })
  })

  it.each([null, {}, [], true, false])('P10: %j is no id', (id) => {
    const backend = recorder()
    const connection = connect(backend)
    connection.say({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'get_secret', arguments: { name: 'a' } } })
    expect(connection.sent).toMatchObject([{ id: null, error: { code: -32600, message: 'Invalid Request' } }])
    expect(backend.calls).toEqual([])
    expect(backend.rejected).toMatchObject([{ tool: 'get_secret', fields: ['name'] }])
  })

  it.each(['1e999', '9007199254740993'])('%s would be echoed as another number, so it is no id', (id) => {
    const connection = connect(recorder())
    connection.receive(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`)
    expect(connection.sent).toMatchObject([{ id: null, error: { code: -32600 } }])
  })

  it('an id that is still in flight is refused, on record, and the first call goes on', async () => {
    const reply = deferred<ReturnType<typeof result>>()
    const backend = recorder({ callTool: () => reply.promise })
    const connection = connect(backend)
    const call = { name: 'get_secret', arguments: { name: 'a' } }
    void connection.ask('tools/call', call, 1)
    connection.say({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })
    expect(connection.sent).toMatchObject([{ id: 1, error: { code: -32600, data: 'A request with this id is still in flight' } }])
    expect(backend.rejected).toMatchObject([{ tool: 'get_secret', fields: ['name'], reason: 'A request with this id is still in flight' }])
    expect(backend.calls).toHaveLength(1)
    void connection.ask('tools/call', call, '1')
    expect(backend.calls).toHaveLength(2)
    reply.resolve(result('x'))
    await connection.whenIdle()
    expect(connection.sent.slice(1)).toMatchObject([
      { id: 1, result: {} },
      { id: '1', result: {} },
    ])
    expect(await connection.ask('ping', {}, 1)).toMatchObject({ result: {} })
  })
})

describe('P08: a key given twice', () => {
  it('is read once: everybody sees the last one', async () => {
    const backend = recorder()
    const connection = connect(backend)
    connection.receive(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_secret","arguments":{"name":"dev/a","name":"prod/b"}}}',
    )
    await connection.whenIdle()
    expect(backend.calls.map((call) => call.arguments)).toEqual([{ name: 'prod/b' }])
  })
})

describe('batches', () => {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const store = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'store_secret', arguments: { name: 'a', value: 'v' } } }

  it.each([null, '2024-11-05', '2025-06-18', '2025-11-25', '2026-07-28'] as const)(
    'P12: one is refused as a whole in %s, nothing in it is done, and its calls are on record',
    async (revision) => {
      const backend = recorder()
      const connection = connect(backend, {}, revision)
      connection.say([ping, store])
      await connection.whenIdle()
      expect(connection.sent).toMatchObject([{ id: null, error: { code: -32600, message: 'Invalid Request' } }])
      expect(backend.calls).toEqual([])
      expect(backend.rejected).toMatchObject([{ tool: 'store_secret', fields: ['name', 'value'], reason: 'batch' }])
    },
  )

  it('puts at most 16 calls of a refused batch on record', () => {
    const backend = recorder()
    connect(backend).say(Array.from({ length: 1000 }, () => store))
    expect(backend.rejected).toHaveLength(16)
  })

  it('one is answered with a batch where 2025-03-26 was negotiated', async () => {
    const backend = recorder()
    const connection = connect(backend, {}, '2025-03-26')
    connection.say([ping, store, { jsonrpc: '2.0', method: 'notifications/whatever' }, 1, { jsonrpc: '2.0', id: 3, method: 'nope' }])
    await connection.whenIdle()
    expect(connection.sent).toEqual([
      [
        { jsonrpc: '2.0', id: 1, result: {} },
        { jsonrpc: '2.0', id: 2, result: { content: [{ type: 'text', text: 'done' }] } },
        expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32600 }) }),
        expect.objectContaining({ id: 3, error: expect.objectContaining({ code: -32601 }) }),
      ],
    ])
    expect(backend.calls).toHaveLength(1)
  })

  it('an empty one is an invalid request', () => {
    const connection = connect(recorder(), {}, '2025-03-26')
    connection.say([])
    expect(connection.sent).toMatchObject([{ id: null, error: { code: -32600 } }])
  })

  it('one of notifications alone gets no answer', async () => {
    const connection = connect(recorder(), {}, '2025-03-26')
    connection.say([{ jsonrpc: '2.0', method: 'notifications/initialized' }])
    await connection.whenIdle()
    expect(connection.sent).toEqual([])
  })

  it('neither the handshake nor a request of the new era can be part of one', async () => {
    const backend = recorder()
    const connection = connect(backend, {}, '2025-03-26')
    connection.say([
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: hello('2025-11-25') },
      { ...store, params: { ...store.params, _meta: MODERN_META } },
    ])
    await connection.whenIdle()
    expect(connection.sent).toMatchObject([
      [
        { id: 1, error: { code: -32600 } },
        { id: 2, error: { code: -32600 } },
      ],
    ])
    expect(backend.calls).toEqual([])
    expect(backend.rejected).toMatchObject([{ tool: 'store_secret', says: 'modern-client 3' }])
  })

  it('a cancelled call leaves its batch without holding it up', async () => {
    const backend = recorder({ callTool: () => new Promise(() => undefined) })
    const connection = connect(backend, {}, '2025-03-26')
    connection.say([ping, store])
    connection.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } })
    await connection.whenIdle()
    expect(connection.sent).toEqual([[{ jsonrpc: '2.0', id: 1, result: {} }]])
  })
})

describe('notifications', () => {
  it('P13: a call without an id is not made, not answered, and on record', async () => {
    const backend = recorder()
    const connection = connect(backend, {}, '2025-11-25')
    connection.say({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'store_secret', arguments: { name: 'a', value: 'v' } } })
    await connection.whenIdle()
    expect(connection.sent).toEqual([])
    expect(backend.calls).toEqual([])
    expect(backend.rejected).toEqual([{ tool: 'store_secret', fields: ['name', 'value'], reason: 'notification', says: 'legacy-client 2' }])
  })

  it.each(['ping', 'tools/list', 'initialize', 'nope', 'notifications/progress', 'constructor'])(
    '%s without an id gets no answer',
    (method) => {
      const connection = connect(recorder())
      connection.say({ jsonrpc: '2.0', method })
      expect(connection.sent).toEqual([])
    },
  )

  it('a cancellation without a sensible id is passed over', () => {
    const connection = connect(recorder())
    for (const params of [undefined, null, [], {}, { requestId: null }, { requestId: {} }, { requestId: 'unknown' }, { requestId: 99 }]) {
      connection.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
    }
    connection.say(PING)
    expect(connection.sent).toEqual([PONG])
  })

  it('of a call on record only the names of its arguments are kept, 32 of them, each cut to 64 characters', () => {
    const backend = recorder()
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${i}`.padStart(3, 'k').padEnd(200, 'x'), 'sentinel']))
    connect(backend).say({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'n'.repeat(500), arguments: many } })
    expect(backend.rejected[0]?.fields).toHaveLength(32)
    expect(backend.rejected[0]?.fields.every((field) => field.length === 64)).toBe(true)
    expect(backend.rejected[0]?.tool).toHaveLength(64)
    expect(JSON.stringify(backend.rejected)).not.toContain('sentinel')
  })
})

describe('names from Object.prototype', () => {
  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('there is no method %s', async (method) => {
    const { code, message } = await connect(recorder()).error(method)
    expect({ code, message }).toEqual({ code: -32601, message: 'Method not found' })
  })

  it('__proto__ in a message changes nothing', async () => {
    const backend = recorder()
    const connection = connect(backend)
    connection.receive(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"__proto__":{"name":"get_secret"},"arguments":{"__proto__":{"name":"a"}}}}',
    )
    await connection.whenIdle()
    expect(connection.sent).toMatchObject([{ id: 1, error: { code: -32602 } }])
    expect(backend.calls).toEqual([])
  })
})

describe('params', () => {
  it('may be missing or null', async () => {
    const connection = connect(recorder())
    connection.say({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    connection.say({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: null })
    expect(connection.sent).toMatchObject([
      { id: 1, result: {} },
      { id: 2, result: {} },
    ])
  })

  it.each([[[]], [['get_secret']], ['text'], [1], [true]])('%j are invalid', (params) => {
    const backend = recorder()
    const connection = connect(backend)
    connection.say({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    expect(connection.sent).toMatchObject([{ id: 1, error: { code: -32602, message: 'Invalid params', data: 'params must be an object' } }])
    expect(backend.rejected).toEqual([{ tool: null, fields: [], reason: 'params must be an object', says: null }])
  })
})

describe('our own bugs', () => {
  it('are an internal error that tells nothing of the values at hand', async () => {
    const backend = recorder({
      callTool: () => Promise.reject(new Error('sentinel-value')),
      listResources: () => {
        throw new TypeError('sentinel-value')
      },
    })
    const connection = connect(backend)
    const call = await connection.error('tools/call', { name: 'get_secret', arguments: { name: 'a' } })
    const list = await connection.error('resources/list')
    expect(call).toMatchObject({ code: -32603, message: 'Internal error' })
    expect(list).toMatchObject({ code: -32603, message: 'Internal error' })
    expect(JSON.stringify(connection.sent)).not.toContain('sentinel')
    expect(connection.bugs).toHaveLength(2)
    expect(await connection.result('ping')).toEqual({})
  })

  it('a record that cannot be made does not keep the refusal from being answered', () => {
    const connection = connect(
      recorder({
        recordRejected: () => {
          throw new Error('no')
        },
      }),
    )
    connection.say([{ jsonrpc: '2.0', id: 1, method: 'tools/call' }])
    expect(connection.sent).toMatchObject([{ error: { code: -32600 } }])
    expect(connection.bugs).toHaveLength(1)
  })
})
