import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { writeBackup } from './backup-file.ts'
import { newKdfParams } from './sealing.ts'
import { fakeClock } from './testing/fake-clock.ts'
import { openTestHost, registered, type TestHost } from './testing/test-host.ts'

const PASSPHRASE = 'correct horse battery'

/** A secret under a name that new ones may not have any more, with a past, tags and an expiry. */
async function putOld(host: TestHost, name = 'work/'): Promise<void> {
  const file = path.join(host.folder, 'old.backup')
  const settings = await host.window('settings.get')
  const old = (version: number, value: string) => ({ version, value, created: version, storedBy: 'Cursor' })
  const secret = { name, created: 1, tags: ['a'], expires: 9e12, current: old(3, 'third'), history: [old(2, 'second'), old(1, 'first')] }
  await writeBackup(file, PASSPHRASE, { secrets: [secret], policies: [], clients: [], settings }, { ...newKdfParams(), N: 2 ** 10 })
  const { id } = await host.window('backup.preview', { path: file, passphrase: PASSPHRASE, withKeys: false })
  await host.window('backup.import', { path: file, passphrase: PASSPHRASE, agreed: id })
}

const names = async (host: TestHost) => (await host.window('secrets.list')).map(({ name }) => name)
const valueOf = async (host: TestHost, name: string, version?: number) =>
  (await host.window('secrets.reveal', { name, purpose: 'show', ...(version !== undefined && { version }) })).value

test('a secret whose name ends in / is read, and can be renamed with its versions, tags and expiry', async () => {
  const host = await openTestHost()
  await putOld(host)
  expect(await valueOf(host, 'work/')).toBe('third')
  expect(await host.window('secrets.rename', { name: 'work/', to: 'work/key' })).toMatchObject({ name: 'work/key', version: 3 })
  const next = await host.restart()
  expect(await next.window('secrets.list')).toMatchObject([
    { name: 'work/key', created: 1, version: 3, tags: ['a'], expires: 9e12, state: 'ok' },
  ])
  expect([await valueOf(next, 'work/key'), await valueOf(next, 'work/key', 2), await valueOf(next, 'work/key', 1)]).toEqual([
    'third',
    'second',
    'first',
  ])
})

test('a renaming is on record as the two writes it is, each before and after it is made', async () => {
  const host = await openTestHost()
  await putOld(host)
  await host.window('secrets.rename', { name: 'work/', to: 'work' })
  const writes = (await host.rows()).filter(({ event }) => event === 'call').toReversed()
  expect(writes.map(({ tool, secret, outcome, approver }) => [tool, secret, outcome, approver])).toEqual([
    ['store_secret', 'work', 'allowed', 'person'],
    ['remove_secret', 'work/', 'allowed', 'person'],
  ])
  const stories = await Promise.all(writes.map(({ seq }) => host.window('audit.story', { seq })))
  expect(stories.map((story) => story.map(({ kind, detail }) => [kind, detail['renamed']]))).toEqual([
    [
      ['intent', 'work/'],
      ['outcome', 'work/'],
    ],
    [
      ['intent', 'work'],
      ['outcome', 'work'],
    ],
  ])
})

test('numbers that the new name had before a removal are not given again', async () => {
  const host = await openTestHost()
  await host.window('secrets.store', { name: 'key', value: 'gone' })
  await host.window('secrets.remove', { name: 'key' })
  await putOld(host)
  expect(await host.window('secrets.rename', { name: 'work/', to: 'key' })).toMatchObject({ version: 4 })
  expect((await host.window('secrets.versions', { name: 'key' })).map(({ version }) => version).toSorted((a, b) => a - b)).toEqual([
    2, 3, 4,
  ])
})

test('a name that is taken, may not be, or is not there refuses, and leaves all as it was', async () => {
  const host = await openTestHost()
  await putOld(host)
  await host.window('secrets.store', { name: 'taken', value: 'mine' })
  const before = (await host.rows()).length
  await expect(host.window('secrets.rename', { name: 'work/', to: 'taken' })).rejects.toThrow('Secret already exists: taken')
  await expect(host.window('secrets.rename', { name: 'work/', to: 'work/' })).rejects.toThrow('must not end in /')
  await expect(host.window('secrets.rename', { name: 'taken', to: 'taken' })).rejects.toThrow('Secret already exists: taken')
  await expect(host.window('secrets.rename', { name: 'nope', to: 'yes' })).rejects.toThrow("There is no secret 'nope'")
  expect(await names(host)).toEqual(['taken', 'work/'])
  expect(await valueOf(host, 'taken')).toBe('mine')
  expect((await host.rows()).filter(({ event }) => event !== 'secret.revealed')).toHaveLength(before)
})

test('a value that was changed outside is not renamed', async () => {
  const host = await openTestHost()
  await putOld(host)
  const db = new DatabaseSync(path.join(host.folder, 'vault.db'))
  db.exec("UPDATE versions SET created = 7 WHERE name = 'work/' AND version = 3")
  db.close()
  const next = await host.restart()
  await expect(next.window('secrets.rename', { name: 'work/', to: 'work' })).rejects.toThrow(
    "The value of 'work/' is missing or was changed by another program. Store a new value or go back to a former version, then rename it.",
  )
  expect(await names(next)).toEqual(['work/'])
})

test('a crash between the two writes leaves both, and loses nothing', async () => {
  let crash: (() => never) | null = null
  const host = await openTestHost(undefined, fakeClock(), undefined, (at) => {
    if (at === 'outcome') crash?.()
  })
  await putOld(host)
  crash = () => {
    throw new Error('the host is gone')
  }
  await expect(host.window('secrets.rename', { name: 'work/', to: 'work' })).rejects.toThrow()
  crash = null
  const next = await host.restart()
  expect(await names(next)).toEqual(['work', 'work/'])
  expect([await valueOf(next, 'work'), await valueOf(next, 'work/', 1)]).toEqual(['third', 'first'])
})

test('a grant speaks of a name: those of either name end with a renaming, on record', async () => {
  const host = await openTestHost()
  await host.window('policies.save', { name: 'first', description: '', allow: ['*'], deny: [], reads: 'first' })
  const cursor = await registered(host, 'cursor', 'first')
  await host.window('secrets.store', { name: 'a', value: 'one' })
  await host.window('secrets.store', { name: 'b', value: 'two' })
  const read = async (name: string) => {
    const reading = host.call(cursor, 'get_secret', { name })
    await host.answer((await host.open(1))[0]!, 'allow', 'always')
    return reading
  }
  expect([await read('a'), await read('b')]).toEqual(['one', 'two'])
  await host.window('secrets.remove', { name: 'b' })
  expect(await host.window('grants.list')).toHaveLength(2)
  await host.window('secrets.rename', { name: 'a', to: 'b' })
  expect(await host.window('grants.list')).toEqual([])
  expect((await host.rows()).filter(({ event }) => event === 'grant.revoked')).toHaveLength(2)
  const asked = host.call(cursor, 'get_secret', { name: 'b' })
  await host.answer((await host.open(1))[0]!, 'deny')
  expect(await asked).toContain('Denied')
})
