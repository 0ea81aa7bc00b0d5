import { describe, expect, test } from 'vitest'
import { callOf, modern, openDesk, rpc, saying, send, textOf, type Desk, type Message } from './testing.ts'

/** On a machine that may be busy. */
const SOON = { timeout: 15_000 }
const STORE = { name: 'dev/key', value: 'correct horse' }
const withProgress = (args: object, id: unknown = 1) =>
  rpc('tools/call', { name: 'store_secret', arguments: args, _meta: { progressToken: 'p' } }, id)

/** Starts a request that is going to wait; `events` grow as they come. */
function begin(desk: Desk, sent: Parameters<typeof send>[1]) {
  const events: Message[] = []
  const control = new AbortController()
  const answered = send(desk, { ...sent, onEvent: (message) => events.push(message), signal: control.signal })
  answered.catch(() => undefined)
  return { events, answered, leave: () => control.abort() }
}

const outcomes = async (desk: Desk) => (await desk.rows()).filter(({ event }) => event === 'call').map(({ outcome }) => outcome)

describe('a call that waits for a person', () => {
  test('asks the same question as over the socket, and names the process behind the connection', async () => {
    const desk = await openDesk()
    const { answered } = begin(desk, { headers: { 'User-Agent': 'curl/8' }, body: callOf('store_secret', STORE) })
    const [approval] = await desk.open(1)
    expect(approval).toMatchObject({
      clientId: 'curl',
      standing: 'new program',
      says: 'curl/8',
      tool: 'store_secret',
      secret: 'dev/key',
      hasValue: true,
      peer: [{ name: 'curl', exe: '/usr/bin/curl' }],
    })
    await desk.answer(approval!, 'allow')
    expect(textOf(await answered)).toBe("Stored secret 'dev/key'")
    expect((await answered).headers['content-type']).toBe('application/json')
    // The program that was allowed once is the one expected from now on, so that its reads can be remembered.
    const read = begin(desk, { body: callOf('get_secret', { name: 'dev/key' }) })
    const [again] = await desk.open(1)
    expect(again).toMatchObject({ standing: 'verified', mayRemember: true })
    await desk.answer(again!, 'allow', 'always')
    expect(textOf(await read.answered)).toBe('correct horse')
    expect(textOf(await send(desk, { body: callOf('get_secret', { name: 'dev/key' }) }))).toBe('correct horse')
  })

  test('streams a sign of life every five seconds to who wants it, then the answer, then ends', async () => {
    const desk = await openDesk()
    for (const sent of [
      { headers: saying('2025-11-25'), body: withProgress(STORE, 'q') },
      modern('tools/call', { name: 'store_secret', arguments: { ...STORE, force: true }, _meta: { progressToken: 'p' } }, 'q'),
    ]) {
      const { events, answered } = begin(desk, sent)
      const [approval] = await desk.open(1)
      await expect.poll(() => events.length, SOON).toBe(1)
      await desk.clock.advance(5000)
      await expect.poll(() => events.length, SOON).toBe(2)
      await desk.answer(approval!, 'allow')
      const { status, headers } = await answered
      expect([status, headers['content-type'], headers['x-accel-buffering']]).toEqual([200, 'text/event-stream', 'no'])
      expect(events.slice(0, 2)).toMatchObject([
        { method: 'notifications/progress', params: { progressToken: 'p', progress: 1 } },
        { method: 'notifications/progress', params: { progressToken: 'p', progress: 2 } },
      ])
      expect(events[2]).toMatchObject({ id: 'q', result: { content: [{ text: "Stored secret 'dev/key'" }] } })
      expect(events).toHaveLength(3)
    }
  })

  test('needs no stream when it need not wait, even if it could have one', async () => {
    const desk = await openDesk()
    const body = rpc('tools/call', { name: 'list_secrets', arguments: {}, _meta: { progressToken: 1 } })
    expect((await send(desk, { body })).headers['content-type']).toBe('application/json')
  })

  test('after its time is answered with what to do, and its repeat goes through once', async () => {
    const desk = await openDesk()
    const { answered } = begin(desk, { body: callOf('store_secret', STORE) })
    const [approval] = await desk.open(1)
    await desk.clock.advance(25_000)
    expect(textOf(await answered)).toBe(
      `Error: Waiting for approval (request ${approval!.id}). Ask the person to answer it in Countersign, then repeat the same call.`,
    )
    await desk.answer(approval!, 'allow')
    expect(await desk.window('secrets.list')).toEqual([])
    expect(textOf(await send(desk, { body: callOf('store_secret', STORE) }))).toBe("Stored secret 'dev/key'")
  })

  test.each([
    ['while nothing has been said yet', callOf('store_secret', STORE)],
    ['in the middle of the stream', withProgress(STORE)],
  ])('is taken back by closing the connection %s: a late allow does nothing but let the repeat through', async (_when, body) => {
    const desk = await openDesk()
    const { answered, leave } = begin(desk, { body })
    const [approval] = await desk.open(1)
    leave()
    await expect(answered).rejects.toThrow()
    await expect.poll(() => outcomes(desk), SOON).toEqual(['cancelled'])
    expect((await desk.open(1))[0]).toMatchObject({ id: approval!.id, waiting: 0 })
    await desk.answer(approval!, 'allow')
    expect(await desk.window('secrets.list')).toEqual([])
    expect(textOf(await send(desk, { body: callOf('store_secret', STORE) }))).toBe("Stored secret 'dev/key'")
  })

  test('is taken back by the notification of the older revisions, and by nobody else’s', async () => {
    const desk = await openDesk()
    const other = await desk.client('other')
    const { answered, events } = begin(desk, { body: withProgress(STORE, 7) })
    await desk.open(1)
    const cancel = (requestId: unknown) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
    expect((await send(desk, { token: other, body: cancel(7) })).status).toBe(202)
    expect((await send(desk, { body: cancel('7') })).status).toBe(202)
    expect((await send(desk, { body: callOf('list_secrets') })).status).toBe(200)
    expect(await outcomes(desk)).toEqual(['allowed'])
    expect((await send(desk, { body: cancel(7) })).status).toBe(202)
    expect((await answered).status).toBe(200)
    expect(events.every(({ method }) => method === 'notifications/progress')).toBe(true)
    await expect.poll(() => outcomes(desk), SOON).toContain('cancelled')
  })

  test('with an id that two programs of one token use at once is not taken back by a word that could mean either', async () => {
    const desk = await openDesk()
    const one = begin(desk, { body: callOf('store_secret', STORE, 1) })
    const two = begin(desk, { body: callOf('store_secret', { ...STORE, name: 'dev/other' }, 1) })
    const approvals = await desk.open(2)
    await send(desk, { body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } } })
    for (const approval of approvals) await desk.answer(approval, 'allow')
    expect([textOf(await one.answered), textOf(await two.answered)]).toEqual(["Stored secret 'dev/key'", "Stored secret 'dev/other'"])
  })
})

describe('clients side by side', () => {
  test('with equal ids at the same time never get each other’s answers', async () => {
    const desk = await openDesk()
    const ids = ['red', 'green', 'blue']
    const tokens = new Map<string, string>()
    for (const id of ids) {
      await desk.window('policies.save', { name: id, description: '', allow: [`${id}/*`], deny: [], reads: 'always' })
      await desk.window('secrets.store', { name: `${id}/key`, value: `value of ${id}` })
      tokens.set(id, await desk.client(id, id))
    }
    const calls = Array.from({ length: 60 }, (_, i) => ids[i % 3]!)
    const answers = await Promise.all(
      calls.map(async (id) => {
        const token = tokens.get(id)!
        const own = textOf(await send(desk, { token, body: callOf('get_secret', { name: `${id}/key` }, 1) }))
        const others = ids.find((other) => other !== id)!
        return [own, textOf(await send(desk, { token, body: callOf('get_secret', { name: `${others}/key` }, 1) }))]
      }),
    )
    calls.forEach((id, i) => {
      expect(answers[i]?.[0]).toBe(`value of ${id}`)
      expect(answers[i]?.[1]).toContain('Access denied')
    })
  })

  test('one that calls too often is told so with 429, is on record once, and keeps nobody else out', async () => {
    const desk = await openDesk()
    const other = await desk.client('other')
    await desk.window('settings.set', { callsPerSecond: 2, callBurst: 3 })
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => send(desk, { body: callOf('list_secrets', {}, i) })))
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(5)
    for (const answered of refused) {
      expect(answered.headers['retry-after']).toBe('1')
      expect(textOf(answered)).toBe('Error: Too many calls; at most 2 a second')
    }
    expect((await send(desk, { token: other, body: callOf('list_secrets') })).status).toBe(200)
    await desk.clock.advance(1000)
    await expect.poll(async () => (await outcomes(desk)).filter((outcome) => outcome === 'limited')).toHaveLength(1)
    expect((await send(desk, { body: callOf('list_secrets') })).status).toBe(200)
  })
})

describe('a stream of changes', () => {
  const LISTEN = modern('subscriptions/listen', { notifications: { resourcesListChanged: true, toolsListChanged: true } }, 'sub')
  const tag = { 'io.modelcontextprotocol/subscriptionId': 'sub' }

  test('begins with an acknowledgement, tells of names this client may see, and of no others', async () => {
    const desk = await openDesk()
    await desk.window('policies.save', { name: 'dev', description: '', allow: ['dev/*'], deny: [], reads: 'ask' })
    const token = await desk.client('ci', 'dev')
    const { events } = begin(desk, { ...LISTEN, token })
    await expect.poll(() => events.length, SOON).toBe(1)
    expect(events[0]).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { _meta: tag, notifications: { resourcesListChanged: true } },
    })
    await desk.window('secrets.store', { name: 'prod/key', value: 'x' })
    await desk.window('secrets.store', { name: 'dev/key', value: 'x' })
    await expect.poll(() => events.length, SOON).toBe(2)
    expect(events[1]).toEqual({ jsonrpc: '2.0', method: 'notifications/resources/list_changed', params: { _meta: tag } })
  })

  test('ends when its client is revoked, whose token is good for nothing more', async () => {
    const desk = await openDesk()
    const { events, answered } = begin(desk, LISTEN)
    const waiting = begin(desk, { body: callOf('store_secret', STORE) })
    await expect.poll(() => events.length, SOON).toBe(1)
    await desk.open(1)
    await desk.window('tokens.revoke', { id: 'curl' })
    expect((await answered).status).toBe(200)
    expect(events.slice(1)).toMatchObject([{ method: 'notifications/cancelled' }, { id: 'sub', result: { resultType: 'complete' } }])
    expect(textOf(await waiting.answered)).toBe('Error: Denied by the person')
    expect((await send(desk, { body: rpc('ping') })).status).toBe(401)
    expect(await desk.window('secrets.list')).toEqual([])
  })

  test('is one of at most 32 of a client', async () => {
    const desk = await openDesk()
    const streams = Array.from({ length: 32 }, () => begin(desk, LISTEN))
    await expect.poll(() => streams.every(({ events }) => events.length === 1), SOON).toBe(true)
    const refused = await send(desk, LISTEN)
    expect([refused.status, refused.json?.id]).toEqual([429, 'sub'])
    expect((await send(desk, { body: callOf('list_secrets') })).status).toBe(200)
    streams[0]!.leave()
    await expect.poll(() => hasRoom(desk), SOON).toBe(true)
  })

  /** Whether another stream is let in: the server hears of one that was left only after a while. */
  async function hasRoom(desk: Desk): Promise<boolean> {
    const begun = Promise.withResolvers<boolean>()
    const control = new AbortController()
    const sent = send(desk, { ...LISTEN, onEvent: () => begun.resolve(true), signal: control.signal })
    sent.then(
      () => begun.resolve(false),
      () => undefined,
    )
    const result = await begun.promise
    control.abort()
    return result
  }

  test('ends when the endpoint does', async () => {
    const desk = await openDesk()
    const { events, answered } = begin(desk, LISTEN)
    await expect.poll(() => events.length, SOON).toBe(1)
    await desk.mcp.close()
    expect((await answered).events.at(-1)).toMatchObject({ id: 'sub', result: {} })
    expect(desk.bugs).toEqual([])
  })
})
