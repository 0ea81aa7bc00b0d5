import { describe, expect, it } from 'vitest'
import { MODERN } from './revisions.ts'
import { connect, LEGACY, recorder, SERVER_INFO } from './testing.ts'

const URI = 'countersign://secrets/a'
const TAG = 'io.modelcontextprotocol/subscriptionId'
const note = (method: string, params?: object): object => ({
  jsonrpc: '2.0',
  method: `notifications/${method}`,
  ...(params ? { params } : {}),
})

describe('in the old era', () => {
  it.each(LEGACY)('an initialized client hears that the list changed in %s', (revision) => {
    const connection = connect(recorder(), {}, revision)
    connection.namesChanged()
    expect(connection.sent).toEqual([note('resources/list_changed')])
  })

  it('nobody else does', async () => {
    const connection = connect(recorder())
    connection.say({ jsonrpc: '2.0', method: 'notifications/initialized' })
    connection.namesChanged()
    await connection.result('initialize', { protocolVersion: '2025-11-25' })
    connection.namesChanged()
    await connection.result('ping')
    expect(connection.notifications()).toEqual([])
  })

  it('a subscribed resource may have changed, until it is unsubscribed; an audit entry never does', async () => {
    const connection = connect(recorder(), {}, '2025-11-25')
    await connection.result('resources/subscribe', { uri: URI })
    await connection.result('resources/subscribe', { uri: URI })
    await connection.result('resources/subscribe', { uri: 'countersign://audit/7' })
    connection.namesChanged()
    expect(connection.notifications('notifications/resources/updated')).toEqual([note('resources/updated', { uri: URI })])
    await connection.result('resources/unsubscribe', { uri: URI })
    connection.sent.length = 0
    connection.namesChanged()
    expect(connection.sent).toEqual([note('resources/list_changed')])
  })

  it('subscriptions are bounded, and a URI must be one', async () => {
    const connection = connect(recorder(), {}, '2025-11-25')
    for (let i = 0; i < 256; i++) await connection.result('resources/subscribe', { uri: `countersign://secrets/${i}` })
    expect(await connection.error('resources/subscribe', { uri: URI })).toMatchObject({ code: -32602 })
    expect(await connection.error('resources/subscribe', {})).toMatchObject({ code: -32602 })
    expect(await connection.error('resources/unsubscribe', { uri: 1 })).toMatchObject({ code: -32602 })
    expect(await connection.error('resources/subscribe', { uri: 'a'.repeat(3000) })).toMatchObject({ code: -32002 })
  })
})

describe('subscriptions/listen', () => {
  const listen = (
    notifications: unknown,
    id: string | number,
    connection = connect(recorder(), {}, MODERN),
  ): ReturnType<typeof connect> => {
    void connection.ask('subscriptions/listen', { notifications }, id)
    return connection
  }

  it('is acknowledged first, with what is honoured of the filter', () => {
    const connection = listen(
      { resourcesListChanged: true, toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: [URI] },
      1,
    )
    expect(connection.sent).toEqual([
      note('subscriptions/acknowledged', {
        _meta: { [TAG]: 1 },
        notifications: { resourcesListChanged: true, resourceSubscriptions: [URI] },
      }),
    ])
  })

  it('brings what was asked for, tagged, and nothing else', () => {
    const connection = listen({ resourcesListChanged: true }, 'a')
    listen({ resourceSubscriptions: [URI, 'countersign://audit/1'] }, 2, connection)
    listen({}, 3, connection)
    connection.sent.length = 0
    connection.namesChanged()
    expect(connection.sent).toEqual([
      note('resources/list_changed', { _meta: { [TAG]: 'a' } }),
      note('resources/updated', { _meta: { [TAG]: 2 }, uri: URI }),
    ])
  })

  it('ends without a word when the client cancels it', async () => {
    const connection = listen({ resourcesListChanged: true }, 1)
    connection.sent.length = 0
    connection.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    connection.namesChanged()
    await connection.close()
    expect(connection.sent).toEqual([])
  })

  it('ended from our side it is cancelled and then answered', async () => {
    const connection = listen({ resourcesListChanged: true }, 1)
    listen({}, 'two', connection)
    connection.sent.length = 0
    await connection.close()
    const result = (id: unknown): object => ({
      jsonrpc: '2.0',
      id,
      result: { resultType: 'complete', _meta: { [TAG]: id, 'io.modelcontextprotocol/serverInfo': SERVER_INFO } },
    })
    expect(connection.sent).toEqual([
      note('cancelled', { requestId: 1, reason: 'The server is leaving', _meta: { [TAG]: 1 } }),
      note('cancelled', { requestId: 'two', reason: 'The server is leaving', _meta: { [TAG]: 'two' } }),
      result(1),
      result('two'),
    ])
  })

  it('its id stays taken while it is open, and does not keep the connection from being idle', async () => {
    const connection = listen({}, 1)
    expect(await connection.ask('tools/list', {}, 1)).toMatchObject({ error: { code: -32600 } })
    await connection.whenIdle()
  })

  it.each([undefined, null, [], 'all'])('a filter of %j is invalid', async (notifications) => {
    expect(await connect(recorder(), {}, MODERN).error('subscriptions/listen', { notifications })).toMatchObject({ code: -32602 })
  })

  it.each([[1], 'x', {}, Array.from({ length: 257 }, () => URI)].map((one) => ({ resourceSubscriptions: one })))(
    'resources that are no short list of strings are invalid',
    async (notifications) => {
      expect(await connect(recorder(), {}, MODERN).error('subscriptions/listen', { notifications })).toMatchObject({ code: -32602 })
    },
  )
})
