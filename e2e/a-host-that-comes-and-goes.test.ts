// Clients stay; hosts come late, die and are started anew.

import { existsSync, rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startBridge } from './support/bridge.ts'
import { openDesk } from './support/desk.ts'
import { freshHome, startHost } from './support/host.ts'
import { observed, timed } from './faults/observed.ts'

const NOT_RUNNING = 'Error: Countersign is not running. Start it, then repeat the call.'

test('a client that came first is served as soon as there is a host', async () => {
  const home = freshHome()
  const bridge = startBridge({ home })
  expect((await bridge.initialize()).result).toMatchObject({ serverInfo: { name: 'countersign' } })
  expect((await bridge.request('tools/list')).result).toHaveProperty('tools.length', 5)
  expect((await bridge.request('ping')).result).toEqual({})
  const { result: saw, ms } = await timed(() => bridge.call('list_secrets'))
  expect(saw).toBe(NOT_RUNNING)
  expect(existsSync(home) && existsSync(`${home}/run`)).toBe(false)
  await startHost({ home })
  const later = await timed(() => bridge.call('list_secrets'))
  expect(later.result).toBe('[]')
  observed({ fault: 'host not running', clientSaw: [saw], tookMs: ms, limitMs: 3000, kept: 'there was nothing to lose' })
  observed({
    fault: 'host starts late',
    clientSaw: [later.result],
    tookMs: later.ms,
    limitMs: 1000,
    kept: 'served without a restart of the client',
  })
})

test('a host that is killed answers nobody twice: each open call gets one error, and what was asked is over', async () => {
  const { client, someone, put, home, stop } = await openDesk()
  await put({ token: 'v' })
  const bridge = await client('cursor', { reads: 'ask' })
  const store = bridge.call('store_secret', { name: 'new', value: 'x' })
  const read = bridge.call('get_secret', { name: 'token' })
  const open = await someone.waiting(2)
  const before = performance.now()
  await stop('SIGKILL')
  expect(await store).toBe('Error: Countersign stopped before the call ended; it may or may not have been made. Look before you repeat it.')
  expect(await read).toBe('Error: Countersign stopped before it answered; repeat the call.')
  const tookMs = performance.now() - before
  expect(tookMs).toBeLessThan(20_000)
  expect((await bridge.request('ping')).result).toEqual({})
  expect(await bridge.call('list_secrets')).toBe(NOT_RUNNING)

  const host = await startHost({ home })
  expect(await bridge.call('list_secrets')).toBe('["token"]')
  const person = await host.person()
  expect((await person.ask('approvals.list')).open).toEqual([])
  for (const approval of open) expect(await person.answer(approval, 'allow')).toBe(false)
  const ended = (await person.rows()).filter(({ event }) => event === 'approval.ended')
  const stories = (await Promise.all(ended.map(({ seq }) => person.ask('audit.story', { seq })))).flat()
  const ends = stories.filter(({ event }) => event === 'approval.ended').map(({ detail }) => [detail['approval'], detail['end']])
  expect(Object.fromEntries(ends)).toEqual(Object.fromEntries(open.map(({ id }) => [id, 'interrupted'])))
  expect(ended).toHaveLength(2)
  expect(bridge.messages.filter(({ id }) => id !== undefined)).toHaveLength(new Set(bridge.messages.map(({ id }) => id)).size - 1)

  // Nothing was made by the new host, and what it is asked now it asks the person about.
  const again = bridge.call('store_secret', { name: 'new', value: 'x' })
  await person.answerNext('allow')
  expect(await again).toBe("Stored secret 'new'")
  await host.stop('SIGKILL')
  const third = await (await startHost({ home })).person()
  expect((await third.rows()).filter(({ event }) => event === 'approval.ended')).toHaveLength(3)
  expect(await third.ask('audit.verify')).toMatchObject({ state: 'ok' })
  observed({
    fault: 'host killed in the middle of calls',
    clientSaw: [await store, await read],
    tookMs,
    limitMs: 2000,
    kept: 'each call was answered once, both questions are on record as interrupted, nothing was stored, the log verifies',
  })
})

test('a host that is asked to stop denies what is open, says so in the log, and leaves', async () => {
  const { client, someone, home, stop } = await openDesk()
  const bridge = await client('cursor')
  const stores = ['a', 'b', 'c'].map((name) => bridge.call('store_secret', { name, value: 'x' }))
  await someone.waiting(3)
  expect(await stop()).toBe(0)
  expect(await Promise.all(stores)).toEqual(Array.from({ length: 3 }, () => 'Error: Denied by the person'))
  const person = await (await startHost({ home })).person()
  expect(await person.ask('secrets.list')).toEqual([])
  const rows = await person.rows()
  expect(rows.filter(({ client: by, event, outcome }) => by === 'cursor' && event === 'call' && outcome === 'denied')).toHaveLength(3)
  expect(rows.filter(({ event }) => event === 'approval.ended')).toHaveLength(3)
  expect(rows.filter(({ event }) => event === 'host.stopped')).toHaveLength(1)
})

test('a socket that somebody swept away is put back, for those who come and without those who are there', async () => {
  const { client, home, ready, someone } = await openDesk()
  const bridge = await client('cursor')
  expect(await bridge.call('list_secrets')).toBe('[]')
  rmSync(ready.socket)
  const before = performance.now()
  expect(await bridge.call('list_secrets')).toBe('[]')
  const other = startBridge({ home })
  await other.initialize()
  await expect.poll(() => other.call('list_secrets'), { timeout: 20_000 }).toBe('[]')
  observed({
    fault: 'socket deleted',
    clientSaw: ['[]'],
    tookMs: performance.now() - before,
    limitMs: 5000,
    kept: 'the client that was connected noticed nothing; one that came later was served',
  })
  expect(await someone.ask('status')).toMatchObject({ state: 'open', alarms: [] })
})
