// An older state of vault.db is told from the newest one: the whole file, its journal, or a few rows, whatever the size of the value.

import { copyFileSync, existsSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { DamagedStore, openStore } from '../store.ts'
import { openVaultFile, OlderStore, VAULT_FILE } from './open.ts'
import { VAULT_MIGRATIONS } from './schema.ts'
import { memoryKeychain, tempFolder, testVault, type MemoryKeychain, type TestVault } from './testing.ts'
import { ChangedOutside } from './vault.ts'

const SHORT = 'of few bytes'
const LONG = 'of many bytes '.repeat(400)
const put = ({ vault }: TestVault, name: string, value: string) =>
  vault.store({ name, value, by: 'test', expect: vault.info(name)?.version ?? null })

/** The folder as a kill at this moment leaves it, and the keychain of that moment. */
function killed({ folder, keychain }: TestVault): { folder: string; keychain: MemoryKeychain } {
  const copy = tempFolder()
  for (const name of [VAULT_FILE, `${VAULT_FILE}-wal`]) {
    if (existsSync(path.join(folder, name))) copyFileSync(path.join(folder, name), path.join(copy, name))
  }
  const items = memoryKeychain()
  for (const [account, value] of keychain.items) items.items.set(account, value)
  return { folder: copy, keychain: items }
}

const bytesOf = (folder: string) => [VAULT_FILE, `${VAULT_FILE}-wal`].map((name) => readFileSync(path.join(folder, name)).toString('hex'))

test.each([
  ['a short value', SHORT],
  ['a long value', LONG],
])('an older copy of the whole database is found after storing %s, and nothing is written or removed', async (_, value) => {
  const t = await testVault()
  await put(t, 'a', value)
  await put(t, 'gone', 'removed later')
  const older = killed(t)
  await put(t, 'a', `${value}, changed`)
  await t.vault.remove('gone', null)
  await put(t, 'new', value)
  const newest = killed(t)
  older.keychain = newest.keychain
  const [items, files] = [new Map(newest.keychain.items), bytesOf(older.folder)]
  const refused = await openVaultFile(older).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(OlderStore)
  expect([...(refused as OlderStore).held.keys()]).toEqual(['a', 'gone'])
  expect([new Map(newest.keychain.items), bytesOf(older.folder)]).toEqual([items, files])
  const back = await testVault(newest)
  expect((await back.vault.get('a'))?.value).toBe(`${value}, changed`)
  expect(back.vault.list().map(({ name, state }) => [name, state])).toEqual([
    ['a', 'ok'],
    ['new', 'ok'],
  ])
})

test('a journal that lost bytes is an older copy wherever it was cut, and the good one helps afterwards', async () => {
  const t = await testVault()
  for (const [n, value] of [SHORT, LONG, SHORT, LONG].entries()) await put(t, `name/${n % 3}`, value)
  // Nothing follows it that would be no loss, such as the row of a value that was replaced.
  await t.vault.check()
  await put(t, 'last', LONG)
  const good = killed(t)
  const journal = `${VAULT_FILE}-wal`
  const size = readFileSync(path.join(good.folder, journal)).length
  for (const left of [0, 32, 5000, size >> 2, size >> 1, size - 4096, size - 1]) {
    const cut = killed(t)
    truncateSync(path.join(cut.folder, journal), left)
    await expect(openVaultFile(cut), `${left} of ${size} bytes`).rejects.toThrow(DamagedStore)
    expect(cut.keychain.items).toEqual(good.keychain.items)
    copyFileSync(path.join(good.folder, journal), path.join(cut.folder, journal))
    copyFileSync(path.join(good.folder, VAULT_FILE), path.join(cut.folder, VAULT_FILE))
    const back = await testVault(cut)
    expect((await back.vault.get('name/0'))?.value).toBe(LONG)
    await back.shut()
  }
})

test.each([SHORT, LONG])('rows of an older version, put back, give no value and cost no item (%.15s…)', async (value) => {
  const t = await testVault()
  await put(t, 'a', value)
  await put(t, 'b', value)
  t.db.exec("CREATE TEMP TABLE s AS SELECT * FROM secrets WHERE name = 'a'; CREATE TEMP TABLE v AS SELECT * FROM versions WHERE name = 'a'")
  await put(t, 'a', `${value} 2`)
  t.db.exec("DELETE FROM versions WHERE name = 'a'; INSERT INTO versions SELECT * FROM v; REPLACE INTO secrets SELECT * FROM s")
  const items = [...t.keychain.items.keys()].toSorted()
  const later = await t.again()
  await expect(later.vault.get('a')).rejects.toThrow(ChangedOutside)
  expect((await later.vault.get('b'))?.value).toBe(value)
  expect([...t.keychain.items.keys()].toSorted()).toEqual(items)
  expect(await put(later, 'a', 'new')).toMatchObject({ version: 3, state: 'ok' })
  expect((await (await later.again()).vault.get('a'))?.value).toBe('new')
})

test('a removed secret whose rows are put back is not served', async () => {
  const t = await testVault()
  await put(t, 'a', LONG)
  t.db.exec("CREATE TEMP TABLE s AS SELECT * FROM secrets WHERE name = 'a'; CREATE TEMP TABLE v AS SELECT * FROM versions WHERE name = 'a'")
  await t.vault.remove('a', null)
  t.db.exec('REPLACE INTO secrets SELECT * FROM s; INSERT INTO versions SELECT * FROM v')
  const later = await t.again()
  await expect(later.vault.get('a')).rejects.toThrow(ChangedOutside)
})

test('a name whose rows are all gone is still there, as changed by another program', async () => {
  const t = await testVault()
  await put(t, 'a', SHORT)
  await put(t, 'b', SHORT)
  await t.vault.remove('b', null)
  t.db.exec('DELETE FROM secrets; DELETE FROM versions')
  const later = await t.again()
  expect(later.vault.list()).toMatchObject([{ name: 'a', version: 1, state: 'changed outside' }])
  expect(later.noticed).toEqual([['a', 'changed outside']])
  expect(later.keychain.accountOf('a')).toMatch(/^a#/)
  expect([later.vault.nextVersion('a'), later.vault.nextVersion('b')]).toEqual([2, 2])
})

test('rows that another program puts back or takes away while we run are noticed once, and are not signed with the next change', async () => {
  const t = await testVault()
  for (const name of ['a', 'b', 'c']) await put(t, name, LONG)
  const former = t.db.prepare("SELECT * FROM versions WHERE name = 'a'").get() ?? {}
  await put(t, 'a', SHORT)
  await t.vault.forget('a')
  t.vault.recheck()
  expect(t.noticed).toEqual([])
  const outside = new DatabaseSync(path.join(t.folder, VAULT_FILE))
  const columns = Object.values({ ...former, state: 'former' })
  outside.prepare(`REPLACE INTO versions VALUES (${columns.map(() => '?').join(', ')})`).run(...columns)
  outside.exec("DELETE FROM versions WHERE name = 'b'")
  outside.close()
  t.vault.recheck()
  t.vault.recheck()
  expect(t.noticed).toEqual([
    ['a', 'changed outside'],
    ['b', 'changed outside'],
  ])
  await expect(t.vault.get('a')).rejects.toThrow(ChangedOutside)
  await expect(t.vault.describe('b', ['x'], null)).rejects.toThrow(ChangedOutside)
  expect((await t.vault.get('c'))?.value).toBe(LONG)
  expect(await put(t, 'b', 'new')).toMatchObject({ version: 2, state: 'ok' })
  expect((await (await t.again()).vault.get('b'))?.value).toBe('new')
})

test('without its mark in the keychain a database with entries is not taken for a beginning', async () => {
  const t = await testVault()
  await put(t, 'a', SHORT)
  for (const mark of [null, 'edited by hand']) {
    const { folder, keychain } = killed(t)
    if (mark === null) keychain.items.delete('rows-head')
    else keychain.items.set('rows-head', mark)
    const items = new Map(keychain.items)
    await expect(openVaultFile({ folder, keychain })).rejects.toThrow('The mark of vault.db is missing from the keychain')
    expect(keychain.items).toEqual(items)
  }
})

test('the mark stands in the keychain before anything stands in the database, and a crash between the two is a first run', async () => {
  const [folder, keychain] = [tempFolder(), memoryKeychain()]
  keychain.leaveAfter(2)
  await expect(openVaultFile({ folder, keychain })).rejects.toThrow('the daemon is gone')
  expect([existsSync(path.join(folder, VAULT_FILE)), keychain.items.has('rows-head')]).toEqual([true, true])
  keychain.leaveAfter(null)
  const t = await testVault({ folder, keychain })
  expect(t.firstRun).toBe(true)
})

test('a database that is ahead of its mark is what a crash between the two leaves', async () => {
  const t = await testVault()
  await put(t, 'a', SHORT)
  const mark = t.keychain.items.get('rows-head') ?? ''
  await put(t, 'a', LONG)
  t.rows.put('policy', 'default', {})
  const { folder, keychain } = killed(t)
  keychain.items.set('rows-head', mark)
  const later = await testVault({ folder, keychain })
  expect([later.rows.intact, (await later.vault.get('a'))?.value]).toEqual([true, LONG])
})

test('nothing is swept from the keychain before the mark tells of what took its place', async () => {
  const t = await testVault()
  await put(t, 'a', SHORT)
  const [first, mark] = [t.keychain.accountOf('a'), t.keychain.items.get('rows-head')]
  const { set } = t.keychain
  t.keychain.set = (account, value) => (account === 'rows-head' ? Promise.reject(new Error('no room')) : set(account, value))
  await put(t, 'a', 'the next')
  await t.vault.check()
  expect([t.keychain.items.has(first), t.keychain.items.get('rows-head')]).toEqual([true, mark])
  t.keychain.set = set
  await t.vault.check()
  expect([t.keychain.items.has(first), t.keychain.items.get('rows-head') === mark]).toEqual([false, false])
})

test('a person may go on with an older copy as it is, and the state that was lost is then the one that is refused', async () => {
  const t = await testVault()
  t.rows.put('policy', 'default', {})
  await put(t, 'a', SHORT)
  const older = killed(t)
  await put(t, 'b', SHORT)
  await t.shut()
  older.keychain = t.keychain
  await expect(openVaultFile(older)).rejects.toThrow(OlderStore)
  await (await openVaultFile({ ...older, decided: 'as it is' })).close()
  const later = await testVault(older)
  expect(later.vault.list().map(({ name, state }) => [name, state])).toEqual([['a', 'ok']])
  expect((await later.vault.get('a'))?.value).toBe(SHORT)
  await expect(openVaultFile({ folder: t.folder, keychain: t.keychain })).rejects.toThrow(OlderStore)
})

test('a box of the state that was lost does not stand in for the value that has its number now', async () => {
  const t = await testVault()
  t.rows.put('policy', 'default', {})
  const older = killed(t)
  await put(t, 'a', LONG)
  const lost = t.db.prepare('SELECT box FROM versions').get()?.['box'] ?? null
  await t.shut()
  older.keychain = t.keychain
  await (await openVaultFile({ ...older, decided: 'as it is' })).close()
  const later = await testVault(older)
  await put(later, 'a', `${LONG}, another`)
  later.db.prepare('UPDATE versions SET box = ?').run(lost)
  await expect(later.vault.get('a')).rejects.toThrow(ChangedOutside)
})

test('a database from before there was a root of secrets is taken over once', async () => {
  const t = await testVault()
  await put(t, 'a', SHORT)
  t.rows.put('policy', 'default', {})
  await t.shut()
  const { folder, keychain } = t
  const before = openStore(path.join(folder, VAULT_FILE), VAULT_MIGRATIONS)
  before.exec('DROP TABLE secrets_root; DROP INDEX versions_by_name; PRAGMA user_version = 1')
  before.close()
  const { secrets: _, ...mark } = JSON.parse(keychain.items.get('rows-head') ?? '') as Record<string, unknown>
  const newest = keychain.items.get('rows-head') ?? ''
  keychain.items.set('rows-head', JSON.stringify(mark))
  const file = path.join(folder, 'before.db')
  copyFileSync(path.join(folder, VAULT_FILE), file)
  const later = await testVault({ folder, keychain })
  expect([(await later.vault.get('a'))?.value, later.vault.info('a')?.state]).toEqual([SHORT, 'ok'])
  await later.shut()
  expect(newest).not.toBe(JSON.stringify(mark))
  copyFileSync(file, path.join(folder, VAULT_FILE))
  for (const beside of ['-wal', '-shm']) rmSync(path.join(folder, `${VAULT_FILE}${beside}`), { force: true })
  await expect(openVaultFile({ folder, keychain })).rejects.toThrow(OlderStore)
})

test('a root of secrets that was edited is damage', async () => {
  const t = await testVault()
  await put(t, 'a', SHORT)
  t.db.exec("UPDATE secrets_root SET list = '[]'")
  await expect(t.again()).rejects.toThrow('its root is not ours')
})
