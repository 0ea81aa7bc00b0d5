import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test, vi } from 'vitest'
import { openTestHost, registered, type TestHost } from './testing/test-host.ts'

const alarms = ({ host }: TestHost) => host.status().alarms.filter(({ id }) => id === 'log')

async function withDamage(): Promise<TestHost> {
  const host = await openTestHost()
  const caller = await registered(host, 'cursor')
  for (let n = 0; n < 20; n++) await host.call(caller, 'list_secrets')
  await host.host.close('test')
  change(host, `replace(body, 'a', 'X')`)
  return host.restart()
}

/** Of an entry far back in the log; no entry of these tests holds an X. */
function change({ folder }: TestHost, body: string): void {
  const db = new DatabaseSync(path.join(folder, 'audit.db'))
  db.exec(`UPDATE ledger SET body = ${body} WHERE seq = 5`)
  db.close()
}

test('what was changed far back in the log is an alarm soon after the start, on record, until a person has seen it', async () => {
  const host = await withDamage()
  expect(alarms(host)).toEqual([])
  await host.clock.advance(1000)
  await vi.waitFor(() => expect(alarms(host)).toHaveLength(1), 20_000)
  expect(alarms(host)[0]?.text).toMatch(/^The audit log is not as it was written: .* What comes before still verifies\.$/)
  expect(await host.window('audit.verified')).toMatchObject({ report: { state: 'tampered', badSeq: 5 } })
  expect((await host.rows()).map(({ event }) => event)).toContain('audit.damaged')

  await host.window('alarms.acknowledge', { id: 'log' })
  expect(alarms(host)).toEqual([])
  expect(await host.window('audit.verify')).toMatchObject({ state: 'tampered', badSeq: 5 })
  expect(alarms(host)).toEqual([])
})

test('damage of the log that nobody has acknowledged is an alarm from the first moment of every later start', async () => {
  const host = await withDamage()
  await host.clock.advance(1000)
  await vi.waitFor(() => expect(alarms(host)).toHaveLength(1), 20_000)
  const text = alarms(host)[0]?.text

  const second = await host.restart()
  expect(alarms(second)).toEqual([{ id: 'log', text }])
  await second.host.close('test')
  // Put back by whoever changed it: no verification finds it any more.
  change(host, `replace(body, 'X', 'a')`)
  const third = await host.restart()
  expect(await third.window('audit.verify')).toMatchObject({ state: 'ok' })
  expect(alarms(third)).toEqual([{ id: 'log', text }])

  await third.window('alarms.acknowledge', { id: 'log' })
  expect(alarms(third)).toEqual([])
  expect(alarms(await third.restart())).toEqual([])
})

test('damage of the log that a person has acknowledged is no alarm at the next start', async () => {
  const host = await withDamage()
  expect(await host.window('audit.verify')).toMatchObject({ state: 'tampered' })
  await host.window('alarms.acknowledge', { id: 'log' })
  const second = await host.restart()
  expect(await second.window('audit.verify')).toMatchObject({ state: 'tampered' })
  expect(alarms(second)).toEqual([])
  expect((await second.rows()).filter(({ event }) => event === 'audit.damaged')).toHaveLength(1)
})

test('a sound log is found sound, and nothing is said', async () => {
  const host = await openTestHost()
  await host.clock.advance(1000)
  await vi.waitFor(async () => expect(await host.window('audit.verified')).toMatchObject({ report: { state: 'ok' } }), 20_000)
  expect(alarms(host)).toEqual([])
})

test('a log whose anchor is missing from the keychain is an alarm, on record, over a restart, until a person has seen it', async () => {
  const host = await openTestHost()
  await registered(host, 'cursor')
  const second = await host.restart({ without: ['audit-head'] })
  const [alarm] = alarms(second)
  expect(alarm?.text).toMatch(/Its anchor is missing from the keychain/)
  expect((await second.rows()).map(({ event }) => event)).toContain('audit.damaged')
  const third = await second.restart()
  expect(alarms(third)).toEqual([alarm])
  await third.window('alarms.acknowledge', { id: 'log' })
  expect(alarms(await third.restart())).toEqual([])
})
