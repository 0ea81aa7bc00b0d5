import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DEFAULT_POLICY, type Policy } from '../../src-shared/policy.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../src-shared/settings.ts'
import { writeBackup } from './backup-file.ts'
import { isNoWider, planId } from './backup-plan.ts'
import { BackupError, createBackup } from './backup.ts'
import { newKdfParams } from './sealing.ts'
import { tempFolder, testVault, type TestVault } from './vault/testing.ts'

/** What a passphrase costs is tested where keys are made from it. */
const newKdf = () => ({ ...newKdfParams(), N: 2 ** 10 })

const PASSPHRASE = 'correct horse battery'
const LONG = 'long value '.repeat(1000)

/** Making one takes most of a second, on purpose; those that only read one share it. */
const samples = mkdtempSync(path.join(tmpdir(), 'countersign-backup-'))
const sample = path.join(samples, 'sample.backup')
beforeAll(async () => {
  const contents = { secrets: [], policies: [{ ...DEFAULT_POLICY, name: 'work' }], clients: [], settings: { waitSeconds: 60 } }
  await writeBackup(sample, PASSPHRASE, contents)
})
afterAll(() => rmSync(samples, { recursive: true }))

interface Desk extends TestVault {
  backup: ReturnType<typeof createBackup>
  settings: { get: () => Settings; set: (changes: Partial<Settings>) => Settings }
}

async function desk(): Promise<Desk> {
  const t = await testVault()
  let current = DEFAULT_SETTINGS
  const settings = { get: () => current, set: (changes: Partial<Settings>) => (current = { ...current, ...changes }) }
  t.rows.put('policy', 'default', DEFAULT_POLICY)
  return { ...t, settings, backup: createBackup({ vault: t.vault, rows: t.rows, settings, clock: t.clock, newKdf }) }
}

/** What was agreed to is what it would do. */
async function restore(backup: Desk['backup'], file: string, passphrase: string, by: string, withKeys = false) {
  const plan = await backup.plan(file, passphrase, withKeys)
  return backup.importFrom(file, passphrase, by, { ...plan, id: planId(plan) })
}

async function exported() {
  const from = await desk()
  await from.vault.store({ name: 'a', value: 'one', by: 'Cursor', tags: ['x'], expires: 7, expect: null })
  await from.vault.store({ name: 'a', value: 'two', by: 'window', expect: 1 })
  await from.vault.store({ name: 'long', value: LONG, by: 'Cursor', expect: null })
  from.rows.put('policy', 'work', { ...DEFAULT_POLICY, name: 'work', allow: ['work/*'] })
  from.rows.put('client', 'cursor', {
    id: 'cursor',
    name: 'Cursor',
    policy: 'work',
    created: 1,
    program: '/usr/bin/cursor',
    keyGeneration: 4,
    previousKeyValid: true,
    paused: false,
  })
  from.rows.put('setting', 'pin', { hash: 'abc' })
  from.settings.set({ waitSeconds: 60 })
  const file = path.join(tempFolder(), 'my.backup')
  expect(await from.backup.exportTo(file, PASSPHRASE)).toEqual({ secrets: 2, skipped: [] })
  return { from, file }
}

test('everything but the log moves to another machine', async () => {
  const { from, file } = await exported()
  const to = await desk()
  expect(await restore(to.backup, file, PASSPHRASE, 'window')).toEqual({ secrets: 2, policies: 1, kept: [], clients: ['cursor'] })
  expect(to.vault.list()).toEqual(from.vault.list())
  expect(to.vault.versions('a')).toEqual(from.vault.versions('a'))
  expect([await to.vault.readVersion('a', 1), await to.vault.readVersion('a', 2)]).toEqual(['one', 'two'])
  expect(await to.vault.get('long')).toEqual({ value: LONG, version: 1 })
  expect(to.rows.get('policy', 'work')).toMatchObject({ allow: ['work/*'] })
  expect(to.rows.get('client', 'cursor')).toMatchObject({ policy: 'work', program: null, keyless: true })
  expect(to.rows.get('setting', 'pin')).toBeNull()
  expect(to.settings.get().waitSeconds).toBe(60)
  expect(await restore(to.backup, file, PASSPHRASE, 'window')).toEqual({ secrets: 0, policies: 0, kept: [], clients: [] })
})

test('the file is private, and neither value nor name is to be read in it', async () => {
  const { file } = await exported()
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(path.dirname(file))).toEqual(['my.backup'])
  const bytes = readFileSync(file)
  for (const text of ['long value', 'two', 'work/*', 'Cursor']) expect(bytes.includes(text)).toBe(false)
})

test('an import beside what is there keeps equal values and stores others as a new version', async () => {
  const { file } = await exported()
  const to = await desk()
  for (const [index, value] of ['p', 'q', 'r', 's'].entries())
    await to.vault.store({ name: 'a', value, by: 'me', tags: ['mine'], expect: index || null })
  await to.vault.store({ name: 'long', value: LONG, by: 'me', expect: null })
  to.rows.put('policy', 'work', { ...DEFAULT_POLICY, name: 'work', allow: ['home/*'] })
  to.settings.set({ waitSeconds: 100 })
  expect(await restore(to.backup, file, PASSPHRASE, 'window')).toEqual({ secrets: 1, policies: 0, kept: ['work'], clients: ['cursor'] })
  expect(await to.vault.get('a')).toEqual({ value: 'two', version: 5 })
  expect(to.vault.info('a')).toMatchObject({ storedBy: 'window', tags: ['mine'] })
  expect(await to.vault.readVersion('a', 4)).toBe('s')
  expect(to.vault.info('long')).toMatchObject({ version: 1, storedBy: 'me' })
  expect(to.rows.get('policy', 'work')).toMatchObject({ allow: ['home/*'] })
  expect(to.settings.get().waitSeconds).toBe(100)
})

test('an import never widens a policy that exists, the untouched default included', async () => {
  const from = await desk()
  from.rows.put('policy', 'default', { ...DEFAULT_POLICY, reads: 'always' })
  from.rows.put('policy', 'dev', { ...DEFAULT_POLICY, name: 'dev' })
  const file = path.join(tempFolder(), 'wide.backup')
  await from.backup.exportTo(file, PASSPHRASE)
  const to = await desk()
  const narrow = { ...DEFAULT_POLICY, name: 'dev', allow: ['dev/*'] }
  to.rows.put('policy', 'dev', narrow)
  expect(await to.backup.plan(file, PASSPHRASE, false)).toMatchObject({ policies: [], kept: ['default', 'dev'] })
  await restore(to.backup, file, PASSPHRASE, 'window')
  expect(to.rows.get('policy', 'default')).toEqual(DEFAULT_POLICY)
  expect(to.rows.get('policy', 'dev')).toEqual(narrow)
})

test('the untouched default takes a narrower one, which is shown as it was and will be', async () => {
  const from = await desk()
  const narrow = { ...DEFAULT_POLICY, allow: ['dev/*'], reads: 'ask' as const }
  from.rows.put('policy', 'default', narrow)
  const file = path.join(tempFolder(), 'narrow.backup')
  await from.backup.exportTo(file, PASSPHRASE)
  const to = await desk()
  expect(await to.backup.plan(file, PASSPHRASE, false)).toMatchObject({ policies: [{ was: DEFAULT_POLICY, now: narrow }], kept: [] })
  await restore(to.backup, file, PASSPHRASE, 'window')
  expect(to.rows.get('policy', 'default')).toEqual(narrow)
})

test.each<[string, Partial<Policy>, boolean]>([
  ['one more name', { allow: ['*', 'a'] }, true],
  ['fewer names', { allow: ['dev/*'] }, true],
  ['a deny less', { deny: [] }, false],
  ['a deny more', { deny: ['prod/*', 'x'] }, true],
  ['reads that ask less', { reads: 'always' }, false],
  ['reads that ask more', { reads: 'never' }, true],
])('a policy with %s is judged rightly as no wider', (_, change, expected) => {
  const was = { ...DEFAULT_POLICY, deny: ['prod/*'] }
  expect(isNoWider(was, { ...was, ...change })).toBe(expected)
})

test('an import shortens no retention, loosens no limit and opens no door', async () => {
  const from = await desk()
  from.settings.set({
    retentionDays: 1,
    callsPerSecond: 100_000,
    callsInFlight: 10,
    lockOnSleep: false,
    http: { enabled: true, port: 8717 },
    waitSeconds: 60,
  })
  const file = path.join(tempFolder(), 'loose.backup')
  await from.backup.exportTo(file, PASSPHRASE)
  const to = await desk()
  expect(await to.backup.plan(file, PASSPHRASE, false)).toMatchObject({
    settings: [
      { name: 'waitSeconds', was: '25', now: '60' },
      { name: 'callsInFlight', was: '256', now: '10' },
    ],
    keptSettings: ['callsPerSecond', 'retentionDays', 'lockOnSleep', 'http'],
  })
  await restore(to.backup, file, PASSPHRASE, 'window')
  expect(to.settings.get()).toEqual({ ...DEFAULT_SETTINGS, waitSeconds: 60, callsInFlight: 10 })
})

test('a file or a vault that is not as it was shown changes nothing', async () => {
  const { file } = await exported()
  const to = await desk()
  const plan = await to.backup.plan(file, PASSPHRASE, false)
  const agreed = { ...plan, id: planId(plan) }
  const other = path.join(tempFolder(), 'other.backup')
  await (await desk()).backup.exportTo(other, PASSPHRASE)
  await expect(to.backup.importFrom(other, PASSPHRASE, 'me', agreed)).rejects.toThrow('The file is not the one that was shown')
  await to.vault.store({ name: 'a', value: 'mine', by: 'me', expect: null })
  await expect(to.backup.importFrom(file, PASSPHRASE, 'me', agreed)).rejects.toThrow('is no longer what was shown')
  expect(to.vault.names()).toEqual(['a'])
  expect(to.rows.list('client')).toEqual([])
})

test('a name that was used and removed here gets higher numbers than it ever had', async () => {
  const { file } = await exported()
  const to = await desk()
  for (const [index, value] of ['p', 'q', 'r'].entries()) await to.vault.store({ name: 'a', value, by: 'me', expect: index || null })
  await to.vault.remove('a', null)
  await restore(to.backup, file, PASSPHRASE, 'window')
  expect(to.vault.versions('a').map(({ version }) => version)).toEqual([5, 4])
  expect([await to.vault.readVersion('a', 4), await to.vault.readVersion('a', 5)]).toEqual(['one', 'two'])
  expect(to.vault.nextVersion('a')).toBe(6)
})

test('what another program wrote becomes a version of its own before an import goes over it', async () => {
  const { file } = await exported()
  const to = await desk()
  await to.vault.store({ name: 'a', value: 'ours', by: 'me', expect: null })
  to.keychain.items.set(to.keychain.accountOf('a'), 'theirs')
  await restore(to.backup, file, PASSPHRASE, 'window')
  expect(await to.vault.get('a')).toEqual({ value: 'two', version: 3 })
  expect(await to.vault.readVersion('a', 2)).toBe('theirs')
})

test('a policy that somebody edited here is not settled by an import', async () => {
  const { file } = await exported()
  const to = await desk()
  to.rows.put('policy', 'work', { ...DEFAULT_POLICY, name: 'work' })
  to.db.exec("UPDATE rows SET body = replace(body, 'first', 'always') WHERE id = 'work'")
  await to.shut()
  const edited = await testVault({ folder: to.folder, keychain: to.keychain, clock: to.clock })
  const backup = createBackup({ vault: edited.vault, rows: edited.rows, settings: to.settings, clock: to.clock, newKdf })
  expect(await restore(backup, file, PASSPHRASE, 'window')).toMatchObject({ policies: 0, kept: ['work'] })
  expect(edited.rows.refused).toEqual([{ kind: 'policy', id: 'work' }])
})

test('secrets without a value of ours are left out and named', async () => {
  const { from } = await exported()
  await from.vault.store({ name: 'b', value: 'x', by: 'me', expect: null })
  from.keychain.items.delete(from.keychain.accountOf('a'))
  from.keychain.items.set(from.keychain.accountOf('b'), 'theirs')
  expect(await from.backup.exportTo(path.join(tempFolder(), 'b'), PASSPHRASE)).toEqual({ secrets: 1, skipped: ['a', 'b'] })
})

test.each<[string, (file: string) => void, string, string]>([
  [
    'a wrong passphrase',
    () => {},
    'wrong passphrase',
    'The passphrase is wrong, or the file was damaged or changed. Nothing was imported.',
  ],
  [
    'a changed byte',
    (file) => flip(file, -20),
    PASSPHRASE,
    'The passphrase is wrong, or the file was damaged or changed. Nothing was imported.',
  ],
  ['a changed header', (file) => swap(file, '"r":8', '"r":4'), PASSPHRASE, 'The passphrase is wrong, or the file was damaged or changed.'],
  [
    'a header that asks for too much',
    (file) => swap(file, '"r":8', '"r":999999'),
    PASSPHRASE,
    'The passphrase is wrong, or the file was damaged or changed.',
  ],
  ['a header that is no JSON', (file) => swap(file, '"r":8', '"r":'), PASSPHRASE, 'is damaged.'],
  ['a missing end', (file) => truncateSync(file, 300), PASSPHRASE, 'The passphrase is wrong, or the file was damaged or changed.'],
  [
    'only a header left',
    (file) => truncateSync(file, readFileSync(file).indexOf('\n') + 1),
    PASSPHRASE,
    'The passphrase is wrong, or the file',
  ],
  ['half a header', (file) => truncateSync(file, 30), PASSPHRASE, 'is not a backup of Countersign.'],
  ['a newer format', (file) => swap(file, '"format":1', '"format":2'), PASSPHRASE, 'was written by a newer Countersign.'],
  ['other contents', (file) => writeFileSync(file, randomBytes(5000)), PASSPHRASE, 'is not a backup of Countersign.'],
])('a file with %s is refused with a sentence and changes nothing', async (_, harm, passphrase, sentence) => {
  const file = path.join(tempFolder(), 'my.backup')
  copyFileSync(sample, file)
  harm(file)
  const to = await desk()
  const before = JSON.stringify([to.rows.list('policy'), to.rows.list('client'), to.settings.get()])
  const refused = await restore(to.backup, file, passphrase, 'window').catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(BackupError)
  expect(String(refused)).toContain(sentence)
  expect(to.vault.list()).toEqual([])
  expect(JSON.stringify([to.rows.list('policy'), to.rows.list('client'), to.settings.get()])).toBe(before)
})

test('a backup never takes the place of a file that exists, and leaves nothing half-written', async () => {
  const { from } = await exported()
  const folder = tempFolder()
  writeFileSync(path.join(folder, 'x'), 'precious')
  mkdirSync(path.join(folder, 'sub'))
  await expect(from.backup.exportTo(path.join(folder, 'x'), PASSPHRASE)).rejects.toThrow('there is a file of that name already')
  await expect(from.backup.exportTo(path.join(folder, 'none', 'x'), PASSPHRASE)).rejects.toThrow('ENOENT')
  await expect(from.backup.exportTo('relative', PASSPHRASE)).rejects.toThrow('Name the backup file with its full path.')
  await expect(restore(from.backup, path.join(folder, 'sub'), PASSPHRASE, 'me')).rejects.toThrow(BackupError)
  await expect(restore(from.backup, path.join(folder, 'none'), PASSPHRASE, 'me')).rejects.toThrow('there is no such file')
  expect(readFileSync(path.join(folder, 'x'), 'utf8')).toBe('precious')
  expect(readdirSync(folder).toSorted()).toEqual(['sub', 'x'])
})

function flip(file: string, at: number): void {
  const bytes = readFileSync(file)
  const index = bytes.length + at
  bytes[index] = (bytes[index] ?? 0) ^ 1
  writeFileSync(file, bytes)
}

function swap(file: string, from: string, to: string): void {
  const bytes = readFileSync(file).toString('latin1')
  expect(bytes).toContain(from)
  writeFileSync(file, Buffer.from(bytes.replace(from, to), 'latin1'))
}
