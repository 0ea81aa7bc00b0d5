import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { DEFAULT_SETTINGS, STRICTEST_SETTINGS } from '../../src-shared/settings.ts'
import { openTestHost, type TestHost } from './testing/test-host.ts'

/** What another program of the user can do: no key, but the file. */
function tamper({ folder }: TestHost): void {
  const db = new DatabaseSync(path.join(folder, 'vault.db'))
  db.exec(`UPDATE rows SET body = replace(body, '"callsPerSecond":5', '"callsPerSecond":99999') WHERE kind = 'setting' AND id = 'settings'`)
  db.close()
}

async function narrowed(): Promise<TestHost> {
  const host = await openTestHost()
  await host.window('settings.set', { callsPerSecond: 5, retentionDays: 30 })
  return host
}

test('settings that somebody else edited count at their strictest until a person acknowledges, at a start and while it runs', async () => {
  const host = await narrowed()
  tamper(host)
  await host.clock.advance(5000)
  expect(await host.window('settings.get')).toEqual(STRICTEST_SETTINGS)
  const next = await host.restart()
  expect(await next.window('settings.get')).toEqual(STRICTEST_SETTINGS)
  expect((await next.window('status')).alarms).toMatchObject([
    { id: 'rows', text: expect.stringContaining("setting 'settings'") as string },
  ])
  await next.window('alarms.acknowledge', { id: 'rows' })
  expect(await next.window('settings.get')).toEqual(DEFAULT_SETTINGS)
  expect(await next.window('settings.set', { callsPerSecond: 7 })).toMatchObject({ callsPerSecond: 7 })
  expect(await (await next.restart()).window('settings.get')).toMatchObject({ callsPerSecond: 7 })
})

test('changing a setting does not clear the refusal of the others', async () => {
  const host = await narrowed()
  tamper(host)
  const next = await host.restart()
  await expect(next.window('settings.set', { waitSeconds: 30 })).rejects.toThrow('acknowledge the alarm')
  expect(await next.window('settings.get')).toEqual(STRICTEST_SETTINGS)
  expect((await next.window('status')).alarms).toHaveLength(1)
  expect(await (await next.restart()).window('settings.get')).toEqual(STRICTEST_SETTINGS)
})
