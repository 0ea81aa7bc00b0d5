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
  const db = new DatabaseSync(path.join(host.folder, 'audit.db'))
  db.exec(`UPDATE ledger SET body = replace(body, 'a', 'b') WHERE seq = 5`)
  db.close()
  return host.restart()
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

test('a sound log is found sound, and nothing is said', async () => {
  const host = await openTestHost()
  await host.clock.advance(1000)
  await vi.waitFor(async () => expect(await host.window('audit.verified')).toMatchObject({ report: { state: 'ok' } }), 20_000)
  expect(alarms(host)).toEqual([])
})
