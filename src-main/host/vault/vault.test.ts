import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { testVault, type TestVault } from './testing.ts'
import { VaultConflict, VaultError } from './vault.ts'

const LONG = '🔑 "quoted"\n'.repeat(4000)
const put = ({ vault }: TestVault, name: string, value: string) =>
  vault.store({ name, value, by: 'Cursor', expect: vault.info(name)?.version ?? null })

test.each([
  ['short', 'hunter2'],
  ['with newlines, quotes and emoji', 'a\r\n"b"\t\'c\' 🔐 é\n'],
  ['of exactly 2,048 bytes', 'x'.repeat(2048)],
  ['of 2,049 bytes', 'x'.repeat(2049)],
  ['of 64 KiB', '☃'.repeat(21_845) + 'x'],
  ['long, of many kinds', LONG],
])('a value %s comes back exactly, also after a restart', async (_, value) => {
  const t = await testVault()
  await put(t, 'a', value)
  expect(await t.vault.get('a')).toEqual({ value, version: 1 })
  const later = await t.again()
  expect(await later.vault.get('a')).toEqual({ value, version: 1 })
})

test('a short value is one keychain item, a long one none', async () => {
  const t = await testVault()
  await put(t, 'short', 'x'.repeat(2048))
  await put(t, 'long', 'x'.repeat(2049))
  expect([...t.keychain.items.keys()].filter((key) => key.includes('#'))).toEqual([expect.stringMatching(/^short#[0-9a-f]{16}$/)])
})

test('no value is in any file, whether short, long, former or removed', async () => {
  const t = await testVault()
  const sentinel = (n: number) => `SENTINEL-${n}-${'zq'.repeat(20)}`
  await put(t, 'a', sentinel(1))
  await put(t, 'a', sentinel(2))
  await put(t, 'b', sentinel(3).repeat(100))
  await put(t, 'c', sentinel(4))
  await t.vault.remove('c', null)
  const files = readdirSync(t.folder).map((name) => readFileSync(path.join(t.folder, name)))
  await t.shut()
  files.push(...readdirSync(t.folder).map((name) => readFileSync(path.join(t.folder, name))))
  for (const form of [(text: string) => text, (text: string) => Buffer.from(text).toString('hex'), encodeURIComponent]) {
    expect(files.some((bytes) => bytes.includes(form('SENTINEL-')))).toBe(false)
  }
})

test.each(['', 'with\0nul', '\ud800', 'x'.repeat(65_537)])('a value that cannot be kept is refused without repeating it', async (value) => {
  const t = await testVault()
  const refused = await put(t, 'a', value).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(VaultError)
  expect(String(refused)).toMatch(
    /^VaultError: This cannot be kept as a secret: it must (not be empty|not contain NUL|be well-formed Unicode|be at most 65536 bytes)\.$/,
  )
  expect(t.vault.list()).toEqual([])
})

test('overwriting keeps created, tags and expiry, bumps the version and keeps the value before', async () => {
  const t = await testVault()
  const created = t.clock.now()
  await t.vault.store({ name: 'a', value: 'one', by: 'window', tags: ['prod'], expires: 99, expect: null })
  t.clock.advance(1000)
  await put(t, 'a', 'two')
  for (const reopen of [async () => t, t.again]) {
    const look = await reopen()
    expect(look.vault.info('a')).toEqual({
      name: 'a',
      version: 2,
      created,
      updated: created + 1000,
      lastUsed: null,
      storedBy: 'Cursor',
      tags: ['prod'],
      expires: 99,
      state: 'ok',
    })
    expect(look.vault.versions('a')).toEqual([
      { version: 2, created: created + 1000, storedBy: 'Cursor', current: true },
      { version: 1, created, storedBy: 'window', current: false },
    ])
    expect(await look.vault.readVersion('a', 1)).toBe('one')
    expect(await look.vault.readVersion('a', 2)).toBe('two')
    await expect(look.vault.readVersion('a', 3)).rejects.toThrow("There is no version 3 of 'a'.")
  }
})

test('exactly one item is left for each short secret, however often it was replaced', async () => {
  const t = await testVault()
  for (const value of ['one', LONG, 'three', 'four', LONG, 'six']) await put(t, 'a', value)
  const later = await t.again()
  expect([...later.keychain.items.keys()].filter((key) => key.startsWith('a#'))).toHaveLength(1)
  expect(await Promise.all([1, 2, 3, 4, 5, 6].map((version) => later.vault.readVersion('a', version)))).toEqual([
    'one',
    LONG,
    'three',
    'four',
    LONG,
    'six',
  ])
})

test('a former version can be restored, as a new version', async () => {
  const t = await testVault()
  for (const value of ['one', 'two', LONG]) await put(t, 'a', value)
  expect(await t.vault.restore('a', 1, 'window')).toMatchObject({ version: 4, storedBy: 'window' })
  expect(await t.vault.get('a')).toEqual({ value: 'one', version: 4 })
  expect(t.vault.versions('a').map(({ version }) => version)).toEqual([4, 3, 2, 1])
  expect(await t.vault.restore('a', 4, 'window')).toMatchObject({ version: 4 })
})

test('clearing the history leaves the current value alone', async () => {
  const t = await testVault()
  for (const value of ['one', 'two']) await put(t, 'a', value)
  await t.vault.forget('a')
  const later = await t.again()
  expect(later.vault.versions('a').map(({ version }) => version)).toEqual([2])
  expect(await later.vault.get('a')).toEqual({ value: 'two', version: 2 })
  expect(later.db.prepare('SELECT count(*) AS n FROM versions').get()).toEqual({ n: 1 })
})

test('removing takes the item, the history and the rest, and no version number ever comes again', async () => {
  const t = await testVault()
  for (const value of ['one', 'two']) await put(t, 'a', value)
  expect(await t.vault.remove('a', 2)).toBe(true)
  expect(await t.vault.remove('a', null)).toBe(false)
  expect([t.vault.info('a'), t.vault.list(), await t.vault.get('a')]).toEqual([null, [], null])
  const later = await t.again()
  expect(later.db.prepare('SELECT count(*) AS n FROM versions').get()).toEqual({ n: 0 })
  expect([...later.keychain.items.keys()].filter((key) => key.includes('#'))).toEqual([])
  expect(later.vault.nextVersion('a')).toBe(3)
  expect(await put(later, 'a', 'three')).toMatchObject({ version: 3, tags: [] })
  expect(later.vault.versions('a')).toHaveLength(1)
})

test('storing or removing what is not at the expected version changes nothing', async () => {
  const t = await testVault()
  await put(t, 'a', 'one')
  await expect(t.vault.store({ name: 'a', value: 'x', by: 'c', expect: null })).rejects.toThrow(VaultConflict)
  await expect(t.vault.store({ name: 'a', value: 'x', by: 'c', expect: 2 })).rejects.toMatchObject({ current: 1 })
  await expect(t.vault.store({ name: 'b', value: 'x', by: 'c', expect: 1 })).rejects.toMatchObject({ current: null })
  await expect(t.vault.remove('a', 2)).rejects.toThrow(VaultConflict)
  expect(await t.vault.get('a')).toEqual({ value: 'one', version: 1 })
})

test('of many who replace the same version at once, one wins', async () => {
  const t = await testVault()
  await put(t, 'a', 'start')
  const tries = await Promise.allSettled(
    Array.from({ length: 20 }, (_, i) => t.vault.store({ name: 'a', value: `v${i}`, by: 'c', expect: 1 })),
  )
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await t.vault.get('a')).toEqual({ value: 'v0', version: 2 })
})

test('a read while the value is replaced gives the old or the new one, never "missing"', async () => {
  const t = await testVault()
  await put(t, 'a', 'v0')
  const reads: Promise<unknown>[] = []
  for (let i = 1; i <= 50; i++) {
    const stored = put(t, 'a', `v${i}`)
    for (let n = 0; n < 5; n++) reads.push(t.vault.get('a'))
    await stored
  }
  expect(await Promise.all(reads)).not.toContain(null)
  expect(t.noticed).toEqual([])
})

test('a fingerprint depends on name, version and value, and shows 64 bits', async () => {
  const t = await testVault()
  const prints = [
    t.vault.fingerprint('a', 1, 'x'),
    t.vault.fingerprint('a', 2, 'x'),
    t.vault.fingerprint('b', 1, 'x'),
    t.vault.fingerprint('a', 1, 'y'),
  ]
  expect(new Set(prints).size).toBe(4)
  for (const print of prints) expect(print).toMatch(/^[0-9a-f]{16}$/)
})

test('a string is recognised in every secret and version that holds it', async () => {
  const t = await testVault()
  await put(t, 'a', 'same')
  await put(t, 'a', 'other')
  await put(t, 'b', 'same')
  const found = t.vault.identify('same')
  expect(found).toEqual([
    { name: 'a', version: 1 },
    { name: 'b', version: 1 },
  ])
  expect(t.vault.identify('never stored')).toEqual([])
})

test('after a crash the vault can say whether a store happened', async () => {
  const t = await testVault()
  const print = (version: number, value: string) => t.vault.fingerprint('a', version, value)
  expect(await t.vault.holds('a', 1, print(1, 'one'))).toBe('not applied')
  await put(t, 'a', 'one')
  expect(await t.vault.holds('a', 1, print(1, 'one'))).toBe('applied')
  expect(await t.vault.holds('a', 1, print(1, 'else'))).toBe('not applied')
  expect(await t.vault.holds('a', 2, print(2, 'two'))).toBe('not applied')
  await put(t, 'a', 'two')
  expect(await t.vault.holds('a', 1, print(1, 'one'))).toBe('applied')
  await t.vault.remove('a', 2)
  expect(await t.vault.holds('a', 2, print(2, 'two'))).toBe('unknown')
})

test('tags and expiry can be changed without touching the value', async () => {
  const t = await testVault()
  await put(t, 'a', 'one')
  const { calls } = t.keychain
  expect(await t.vault.describe('a', ['x'], 5)).toMatchObject({ version: 1, tags: ['x'], expires: 5 })
  // The mark that tells of it, and nothing else.
  expect(t.keychain.calls).toBe(calls + 1)
  expect((await t.again()).vault.info('a')).toMatchObject({ tags: ['x'], expires: 5, state: 'ok' })
})

test('the last use is noted in batches and survives a restart', async () => {
  const t = await testVault()
  await put(t, 'a', 'one')
  t.clock.advance(500)
  const used = t.clock.now()
  t.vault.touch('a')
  expect(t.vault.info('a')?.lastUsed).toBe(used)
  const written = () => t.db.prepare("SELECT last_used FROM secrets WHERE name = 'a'").get()?.['last_used']
  expect(written()).toBeNull()
  t.clock.advance(5000)
  expect(written()).toBe(used)
  t.clock.advance(500)
  t.vault.touch('a')
  expect((await t.again()).vault.info('a')?.lastUsed).toBe(used + 5500)
})

test('listing, describing and naming versions never ask the keychain', async () => {
  const t = await testVault()
  await put(t, 'a', 'one')
  const { calls } = t.keychain
  t.vault.list()
  t.vault.info('a')
  t.vault.versions('a')
  t.vault.identify('one')
  t.vault.nextVersion('a')
  expect(t.keychain.calls).toBe(calls)
})
