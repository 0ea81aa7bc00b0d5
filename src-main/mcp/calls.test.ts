// tools/call: what the host says, in the words of each revision; progress, cancellation and their limits.

import { describe, expect, it } from 'vitest'
import type { ToolReply } from '../../src-shared/rpc.ts'
import { NOT_RUNNING } from '../../src-shared/texts.ts'
import { HostAbsent } from './backend.ts'
import { MODERN, type Revision } from './revisions.ts'
import { ALL, connect, deferred, LEGACY, MODERN_META, recorder, result } from './testing.ts'

const GET = { name: 'get_secret', arguments: { name: 'a' } }
const LIST = { name: 'list_secrets', arguments: {} }
const answering = (reply: ToolReply): ReturnType<typeof recorder> => recorder({ callTool: () => Promise.resolve(reply) })
const errorText = (text: string): object => ({ content: [{ type: 'text', text: `Error: ${text}` }], isError: true })
const from = (first: Revision): Revision[] => ALL.filter((revision) => revision >= first)
const before = (first: Revision): Revision[] => ALL.filter((revision) => revision < first)

describe('a result', () => {
  it.each(before('2025-06-18'))('is text alone in %s', async (revision) => {
    const answer = await connect(answering(result('["a"]', { names: ['a'] })), {}, revision).result('tools/call', LIST)
    expect(answer).toEqual({ content: [{ type: 'text', text: '["a"]' }] })
  })

  it.each(from('2025-06-18'))('is text and structured content in %s', async (revision) => {
    const answer = await connect(answering(result('["a"]', { names: ['a'] })), {}, revision).result('tools/call', LIST)
    expect(answer).toMatchObject({ content: [{ type: 'text', text: '["a"]' }], structuredContent: { names: ['a'] } })
    expect(answer).not.toHaveProperty('isError')
  })

  it.each(ALL)('carries the value of a secret once, as text, in %s', async (revision) => {
    // Even from a host of before, which sent it twice: several clients hand the model the structured copy instead of the text.
    const answer = await connect(answering(result('v', { name: 'a', value: 'v' })), {}, revision).result('tools/call', GET)
    expect(answer).toMatchObject({ content: [{ type: 'text', text: 'v' }] })
    expect(answer).not.toHaveProperty('structuredContent')
  })

  it('carries the text to the letter', async () => {
    const text = ' "quoted"\n\u2028\u{1f600}\t\\ '
    expect(await connect(answering(result(text))).result('tools/call', GET)).toEqual({ content: [{ type: 'text', text }] })
  })

  it.each(ALL)('that is an error says so and begins with "Error: " in %s', async (revision) => {
    const reply: ToolReply = { kind: 'result', text: 'Secret not found: a', isError: true, structured: { x: 1 } }
    const answer = await connect(answering(reply), {}, revision).result('tools/call', GET)
    expect(answer).toMatchObject(errorText('Secret not found: a'))
    expect(answer).not.toHaveProperty('structuredContent')
  })
})

describe('arguments that break the schema', () => {
  const reply: ToolReply = { kind: 'invalid', field: 'force', fault: 'must be true or false' }
  const sentence = "Invalid argument 'force': must be true or false"

  it.each(before('2025-11-25'))('are -32602 naming the field in %s', async (revision) => {
    const error = await connect(answering(reply), {}, revision).error('tools/call', GET)
    expect(error).toEqual({ code: -32602, message: 'Invalid params', data: sentence })
  })

  it.each(from('2025-11-25'))('are an error result in %s', async (revision) => {
    expect(await connect(answering(reply), {}, revision).result('tools/call', GET)).toMatchObject(errorText(sentence))
  })
})

describe('a call that takes too long', () => {
  it.each(LEGACY)('is -32000 in %s', async (revision) => {
    const error = await connect(answering({ kind: 'timeout' }), {}, revision).error('tools/call', GET)
    expect(error).toEqual({ code: -32000, message: 'Tool execution timeout', data: expect.any(String) })
  })

  it('is an error result in 2026-07-28, which reserves that code', async () => {
    expect(await connect(answering({ kind: 'timeout' }), {}, MODERN).result('tools/call', GET)).toMatchObject(
      errorText('Tool execution timeout'),
    )
  })
})

describe('without a host', () => {
  it.each(ALL)('a call says what to do in %s', async (revision) => {
    expect(await connect(null, {}, revision).result('tools/call', GET)).toMatchObject(errorText(NOT_RUNNING))
  })

  it('a call says what the link says', async () => {
    const backend = recorder({ callTool: () => Promise.reject(new HostAbsent('The host went away.')) })
    const connection = connect(backend)
    expect(await connection.result('tools/call', GET)).toEqual(errorText('The host went away.'))
    expect(connection.bugs).toEqual([])
  })

  it('nothing is put on record, and the refusal is answered all the same', () => {
    const connection = connect(null)
    connection.say([{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: GET }])
    connection.say({ jsonrpc: '2.0', method: 'tools/call', params: GET })
    expect(connection.sent).toMatchObject([{ error: { code: -32600 } }])
  })
})

describe('what reaches the host', () => {
  it('P19: an unknown tool does, for the host records and answers it', async () => {
    const backend = answering({ kind: 'result', text: 'Unknown tool: nope', isError: true })
    const connection = connect(backend, {}, '2025-11-25')
    expect(await connection.result('tools/call', { name: 'nope', arguments: { x: 1 } })).toEqual(errorText('Unknown tool: nope'))
    expect(backend.calls).toMatchObject([{ tool: 'nope', arguments: { x: 1 } }])
  })

  it('arguments go as they came; none are an empty object', async () => {
    const backend = recorder()
    const connection = connect(backend)
    for (const given of [{ a: [1, { b: null }] }, [1], 'text', 7, undefined, null]) {
      await connection.ask('tools/call', { name: 'list_secrets', arguments: given })
    }
    expect(backend.calls.map((call) => call.arguments)).toEqual([{ a: [1, { b: null }] }, [1], 'text', 7, {}, {}])
  })

  it.each([undefined, null, 1, {}, ['get_secret']])('a tool called %j does not: it is -32602 and on record', async (name) => {
    const backend = recorder()
    const error = await connect(backend).error('tools/call', { name, arguments: { value: 'sentinel' } })
    expect(error).toEqual({ code: -32602, message: 'Invalid params', data: 'name must be a string' })
    expect(backend.calls).toEqual([])
    expect(backend.rejected).toEqual([{ tool: null, fields: ['value'], reason: 'no tool name', says: null }])
  })
})

describe('progress', () => {
  function waitingCall(
    revision: Revision,
    _meta: object,
  ): { connection: ReturnType<typeof connect>; wait: () => void; end: () => Promise<void> } {
    const reply = deferred<ToolReply>()
    const backend = recorder({ callTool: () => reply.promise })
    const connection = connect(backend, {}, revision)
    void connection.ask('tools/call', { ...GET, _meta: revision === MODERN ? { ...MODERN_META, ..._meta } : _meta })
    return {
      connection,
      wait: () => backend.calls[0]?.onWaiting('Waiting for a person'),
      end: async () => {
        reply.resolve(result('v'))
        await connection.whenIdle()
      },
    }
  }

  it.each(ALL)('goes to a caller that asked for it, counting up, in %s', async (revision) => {
    const { connection, wait, end } = waitingCall(revision, { progressToken: 'token' })
    wait()
    wait()
    const message = revision === '2024-11-05' ? {} : { message: 'Waiting for a person' }
    expect(connection.sent).toEqual(
      [1, 2].map((progress) => ({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 'token', progress, ...message },
      })),
    )
    await end()
  })

  it('takes a number for a token too, and 0 is one', () => {
    const { connection, wait } = waitingCall('2025-11-25', { progressToken: 0 })
    wait()
    expect(connection.sent).toMatchObject([{ params: { progressToken: 0 } }])
  })

  it.each([{}, { progressToken: null }, { progressToken: {} }, { progressToken: true }])('does not go to a caller that sent %j', (meta) => {
    const { connection, wait } = waitingCall('2025-11-25', meta)
    wait()
    expect(connection.sent).toEqual([])
  })

  it('ends with the answer', async () => {
    const { connection, wait, end } = waitingCall('2025-11-25', { progressToken: 1 })
    await end()
    wait()
    expect(connection.notifications()).toEqual([])
    expect(connection.sent).toHaveLength(1)
  })
})

describe('cancellation', () => {
  const cancelled = (requestId: unknown): object => ({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId, reason: 'impatient' },
  })

  it.each(ALL)('aborts the call, and neither answer nor progress follows, in %s', async (revision) => {
    const reply = deferred<ToolReply>()
    const backend = recorder({ callTool: () => reply.promise })
    const connection = connect(backend, {}, revision)
    const meta = { progressToken: 1 }
    void connection.ask('tools/call', { ...GET, _meta: revision === MODERN ? { ...MODERN_META, ...meta } : meta }, 5)
    connection.say(cancelled('5'))
    expect(backend.calls[0]?.signal.aborted).toBe(false)
    connection.say(cancelled(5))
    expect(backend.calls[0]?.signal.aborted).toBe(true)
    backend.calls[0]?.onWaiting('still waiting')
    reply.resolve(result('too late'))
    await connection.whenIdle()
    await reply.promise
    expect(connection.sent).toEqual([])
    expect(connection.bugs).toEqual([])
  })

  it('of a call that then fails is silent too', async () => {
    const reply = deferred<ToolReply>()
    const connection = connect(recorder({ callTool: () => reply.promise }))
    void connection.ask('tools/call', GET, 5)
    connection.say(cancelled(5))
    reply.reject(new Error('aborted'))
    await connection.whenIdle()
    await connection.result('ping')
    expect(connection.responses()).toHaveLength(1)
  })

  it('after the answer does nothing', async () => {
    const connection = connect(recorder())
    await connection.ask('tools/call', GET, 5)
    connection.say(cancelled(5))
    expect(await connection.ask('tools/call', GET, 5)).toHaveProperty('result')
    expect(connection.sent).toHaveLength(2)
  })

  it('frees the id, and the late end of the first call does not touch the second', async () => {
    const replies = [deferred<ToolReply>(), deferred<ToolReply>()]
    let calls = 0
    const connection = connect(recorder({ callTool: () => replies[calls++]?.promise ?? Promise.reject(new Error('no more')) }))
    void connection.ask('tools/call', GET, 5)
    connection.say(cancelled(5))
    const second = connection.ask('tools/call', GET, 5)
    replies[0]?.resolve(result('first'))
    await replies[0]?.promise
    replies[1]?.resolve(result('second'))
    expect(await second).toMatchObject({ result: { content: [{ text: 'second' }] } })
    expect(connection.sent).toHaveLength(1)
  })
})

describe('concurrency', () => {
  it('a slow call holds up no other', async () => {
    const slow = deferred<ToolReply>()
    const backend = recorder({ callTool: (call) => (call.tool === 'store_secret' ? slow.promise : Promise.resolve(result('quick'))) })
    const connection = connect(backend)
    void connection.ask('tools/call', { name: 'store_secret' }, 'slow')
    await connection.result('tools/call', GET)
    expect(connection.sent).toHaveLength(1)
    slow.resolve(result('slow'))
    await connection.whenIdle()
    expect(connection.sent).toHaveLength(2)
  })

  it('is bounded: the call over 256 is refused at once, on record, and there is room again when one ends', async () => {
    const replies: ReturnType<typeof deferred<ToolReply>>[] = []
    const backend = recorder({
      callTool: () => {
        const reply = deferred<ToolReply>()
        replies.push(reply)
        return reply.promise
      },
    })
    const connection = connect(backend)
    for (let id = 0; id < 256; id++) connection.say({ jsonrpc: '2.0', id, method: 'tools/call', params: GET })
    expect(await connection.result('tools/call', GET)).toEqual(errorText('Too many calls at once; at most 256 in flight'))
    expect(await connection.error('resources/list')).toMatchObject({ code: -32600, data: 'Too many calls at once; at most 256 in flight' })
    expect(await connection.result('ping')).toEqual({})
    expect(backend.calls).toHaveLength(256)
    expect(backend.rejected).toMatchObject([{ tool: 'get_secret', reason: 'too many in flight' }])

    // A cancelled call makes room only once it is really over.
    connection.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } })
    expect(await connection.result('tools/call', GET)).toHaveProperty('isError')
    replies[0]?.resolve(result('over'))
    await replies[0]?.promise
    await connection.result('ping')
    void connection.ask('tools/call', GET)
    expect(backend.calls).toHaveLength(257)
  })

  it('the bound is an option', async () => {
    const connection = connect(recorder({ callTool: () => new Promise(() => undefined) }), { maxInFlight: 1 })
    void connection.ask('tools/call', GET)
    expect(await connection.result('tools/call', GET)).toEqual(errorText('Too many calls at once; at most 1 in flight'))
  })
})

describe('the end of a connection', () => {
  it('aborts what runs, answers nothing more, and does not wait for it', async () => {
    const backend = recorder({ callTool: () => new Promise(() => undefined) })
    const connection = connect(backend)
    void connection.ask('tools/call', GET)
    await connection.close()
    expect(backend.calls[0]?.signal.aborted).toBe(true)
    connection.say({ jsonrpc: '2.0', id: 1, method: 'ping' })
    connection.fault('too long')
    connection.namesChanged()
    expect(connection.sent).toEqual([])
  })

  it('can be put off until everything asked is answered', async () => {
    const reply = deferred<ToolReply>()
    const connection = connect(recorder({ callTool: () => reply.promise }))
    let idle = false
    void connection.ask('tools/call', GET)
    const whenIdle = connection.whenIdle().then(() => (idle = true))
    await connection.result('ping')
    expect(idle).toBe(false)
    reply.resolve(result('v'))
    await whenIdle
    expect(connection.sent).toHaveLength(2)
    await connection.whenIdle()
  })
})
