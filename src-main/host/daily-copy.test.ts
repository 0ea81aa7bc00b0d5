import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync, writeSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { copyNow, keepDailyCopy, restoreDailyCopy, startAnew } from './daily-copy.ts'
import { DamagedStore } from './store.ts'
import { openVaultFile } from './vault/open.ts'
import { openVault } from './vault/vault.ts'
import { tempFolder, testClock, testVault } from './vault/testing.ts'

const HOUR = 3600_000
const copyOf = (folder: string) => path.join(folder, 'vault-daily.db')

async function damagedVault() {
  const t = await testVault()
  t.rows.put('policy', 'default', { name: 'default' })
  await t.vault.store({ name: 'a', value: 'one', by: 'me', expect: null })
  await t.vault.store({ name: 'a', value: 'two', by: 'me', expect: 1 })
  await copyNow(t.db, t.folder)
  await t.shut()
  const fd = openSync(path.join(t.folder, 'vault.db'), 'r+')
  writeSync(fd, Buffer.alloc(4096 * 4, 0xa5), 0, 4096 * 4, 4096)
  closeSync(fd)
  return t
}

test('a copy is made at the start when there is none, private and whole', async () => {
  const t = await testVault()
  await t.vault.store({ name: 'a', value: 'one', by: 'me', expect: null })
  const daily = keepDailyCopy(t)
  await daily.first
  expect(statSync(copyOf(t.folder)).mode & 0o777).toBe(0o600)
  expect(readdirSync(t.folder).toSorted()).toEqual(['vault-daily.db', 'vault.db', 'vault.db-shm', 'vault.db-wal'])
  await daily.stop()
})

test('a copy is made again when it is a day old, and not before', async () => {
  const clock = testClock(Date.now())
  const t = await testVault({ clock })
  const made: number[] = []
  const age = (hours: number) => utimesSync(copyOf(t.folder), new Date(clock.now() - hours * HOUR), new Date(clock.now() - hours * HOUR))
  const daily = keepDailyCopy(t)
  await daily.first
  for (const hours of [22, 25]) {
    age(hours)
    const before = statSync(copyOf(t.folder)).ino
    clock.advance(HOUR)
    await daily.settled()
    made.push(Number(statSync(copyOf(t.folder)).ino !== before))
    age(0)
  }
  expect(made).toEqual([0, 1])
  await daily.stop()
})

test('a copy that cannot be made leaves the one before, and the failure is told', async () => {
  const t = await testVault()
  await copyNow(t.db, t.folder)
  const good = readFileSync(copyOf(t.folder))
  utimesSync(copyOf(t.folder), 0, 0)
  const closed = new DatabaseSync(':memory:')
  closed.close()
  const failures: unknown[] = []
  const daily = keepDailyCopy({ ...t, db: closed, onFailed: (error) => failures.push(error) })
  await expect(daily.first).rejects.toThrow('database is not open')
  expect(failures).toHaveLength(1)
  expect(readFileSync(copyOf(t.folder)).equals(good)).toBe(true)
  await daily.stop()
})

test('a damaged vault is refused, restored from the daily copy, and kept aside', async () => {
  const { folder, keychain, clock } = await damagedVault()
  await expect(openVaultFile({ folder, keychain })).rejects.toThrow(DamagedStore)
  expect(restoreDailyCopy(folder)).toEqual({ aside: 'vault-damaged-1.db' })
  const { db, keys, rows, root, firstRun, close } = await openVaultFile({ folder, keychain, decided: 'daily copy' })
  expect([firstRun, rows.intact, rows.get('policy', 'default')]).toEqual([false, true, { name: 'default' }])
  const vault = await openVault({ db, root, keychain, keys, clock })
  expect(await vault.get('a')).toEqual({ value: 'two', version: 2 })
  expect(await vault.readVersion('a', 1)).toBe('one')
  await vault.close()
  await close()
  expect(statSync(path.join(folder, 'vault.db')).mode & 0o777).toBe(0o600)
  expect(existsSync(path.join(folder, 'vault-damaged-1.db'))).toBe(true)
  expect(existsSync(copyOf(folder))).toBe(true)
})

test('starting anew keeps every damaged file, every value and every key', async () => {
  const { folder, keychain } = await damagedVault()
  const kept = () => [...keychain.items].filter(([account]) => account !== 'rows-head')
  const items = kept()
  expect(startAnew(folder)).toEqual({ aside: 'vault-damaged-1.db' })
  writeFileSync(path.join(folder, 'vault.db'), 'damaged again')
  expect(startAnew(folder)).toEqual({ aside: 'vault-damaged-2.db' })
  expect(startAnew(folder)).toEqual({ aside: null })
  const { firstRun, close } = await openVaultFile({ folder, keychain, decided: 'start anew' })
  expect(firstRun).toBe(true)
  await close()
  expect(kept()).toEqual(items)
})

test('without a sound daily copy nothing is moved', async () => {
  const folder = tempFolder()
  writeFileSync(path.join(folder, 'vault.db'), 'damaged')
  expect(() => restoreDailyCopy(folder)).toThrow('There is no daily copy to go back to.')
  writeFileSync(copyOf(folder), 'damaged too '.repeat(1000))
  expect(() => restoreDailyCopy(folder)).toThrow(DamagedStore)
  expect(readFileSync(path.join(folder, 'vault.db'), 'utf8')).toBe('damaged')
  rmSync(folder, { recursive: true })
})
