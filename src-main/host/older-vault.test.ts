import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openTestHost } from './testing/test-host.ts'

const FILES = ['vault.db', 'vault.db-wal', 'vault.db-shm']

/** The vault as it was before the last few changes, beside a log and a keychain that know of them. */
async function withOlderVault() {
  const host = await openTestHost()
  await host.window('secrets.store', { name: 'kept', value: 'one' })
  await host.window('secrets.store', { name: 'changed', value: 'one' })
  await host.window('secrets.store', { name: 'removed', value: 'one' })
  const { folder } = host
  const older = path.join(folder, 'older')
  await host.close()
  copyFileSync(path.join(folder, 'vault.db'), older)
  const later = await host.restart()
  await later.clock.advance(1000)
  await later.window('secrets.store', { name: 'changed', value: 'two', force: true })
  await later.window('secrets.store', { name: 'lost', value: 'x'.repeat(5000) })
  await later.window('secrets.remove', { name: 'removed' })
  await later.close()
  const newest = path.join(folder, 'newest')
  copyFileSync(path.join(folder, 'vault.db'), newest)
  const put = (file: string) => {
    for (const one of FILES) rmSync(path.join(folder, one), { force: true })
    copyFileSync(file, path.join(folder, 'vault.db'))
  }
  put(older)
  return { host: await later.restart({ shut: true }), put, newest, folder }
}

const NAMED =
  "vault.db is an older copy of itself. The log knows of secrets that are missing from it: 'lost'. " +
  "It holds older values of: 'changed'. It holds what was removed: 'removed'."

test('an older vault serves nobody, and names what is missing to the person alone', async () => {
  const { host } = await withOlderVault()
  expect(host.host.status()).toMatchObject({ state: 'damaged', trouble: 'vault.db is an older copy of itself.', alarms: [{ text: NAMED }] })
})

test('with the newer file back in its place everything is as it was', async () => {
  const { host, put, newest } = await withOlderVault()
  await host.close()
  put(newest)
  const later = await host.restart()
  expect(await later.window('secrets.reveal', { name: 'changed', purpose: 'show' })).toEqual({ value: 'two' })
  expect(later.host.status().alarms).toEqual([])
})

test('a person may go on with it as it is, which keeps a copy and is on record', async () => {
  const { host, folder } = await withOlderVault()
  const found = readFileSync(path.join(folder, 'vault.db'))
  await host.window('vault.recover', { how: 'as it is' })
  expect(host.host.status()).toMatchObject({ state: 'open' })
  expect(readFileSync(path.join(folder, 'vault-damaged-1.db')).equals(found)).toBe(true)
  expect((await host.window('secrets.list')).map(({ name }) => name)).toEqual(['changed', 'kept', 'removed'])
  expect((await host.rows()).map(({ event }) => event)).toContain('vault.recovered')
  const later = await host.restart()
  expect(later.host.status()).toMatchObject({ state: 'open' })
})

test('a damaged vault cannot be used as it is', async () => {
  const host = await openTestHost()
  const { folder } = host
  await host.close()
  for (const one of FILES) rmSync(path.join(folder, one), { force: true })
  const later = await host.restart({ shut: true })
  await expect(later.window('vault.recover', { how: 'as it is' })).rejects.toThrow('This vault cannot be used as it is')
  expect(readdirSync(folder).some((name) => name.startsWith('vault-damaged'))).toBe(false)
  expect(existsSync(path.join(folder, 'vault.db'))).toBe(false)
})

test('a name that vanished is an alarm, and the daily copy, which may have it, stays until a person has settled it', async () => {
  const host = await openTestHost()
  await host.window('secrets.store', { name: 'a', value: 'one' })
  await host.close()
  const copy = path.join(host.folder, 'vault-daily.db')
  copyFileSync(path.join(host.folder, 'vault.db'), copy)
  const db = new DatabaseSync(path.join(host.folder, 'vault.db'))
  db.exec('DELETE FROM secrets; DELETE FROM versions')
  db.close()
  utimesSync(copy, 0, 0)
  const good = readFileSync(copy)
  const later = await host.restart()
  expect(later.host.status()).toMatchObject({ state: 'open', alarms: [{ id: 'secret:a' }] })
  await later.clock.advance(3600_000)
  await later.close()
  expect(readFileSync(copy).equals(good)).toBe(true)

  const last = await later.restart()
  await last.window('secrets.store', { name: 'a', value: 'two', force: true })
  expect(last.host.status().alarms).toEqual([])
  await last.clock.advance(3600_000)
  await last.close()
  expect(readFileSync(copy).equals(good)).toBe(false)
})
