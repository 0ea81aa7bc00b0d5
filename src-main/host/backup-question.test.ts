import { randomUUID } from 'node:crypto'
import { copyFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { CLI_CLIENT_ID, type Caller } from '../../src-shared/client.ts'
import type { ToolReply } from '../../src-shared/rpc.ts'
import { readKey } from '../adapters/key-files.ts'
import { openTestHost, type TestHost } from './testing/test-host.ts'

const PASSPHRASE = 'correct horse battery'
const cli: Caller = { clientId: CLI_CLIENT_ID, clientName: 'Command line', standing: 'verified', connection: randomUUID(), peer: [] }

/** A call of the command line; `told` collects what it hears while it waits. */
async function ask(host: TestHost, tool: string, file: string, told: string[] = [], more = {}): Promise<string> {
  const params = { tool, arguments: { path: file, passphrase: PASSPHRASE, ...more } }
  const context = { caller: cli, signal: new AbortController().signal, waiting: (message: string) => void told.push(message) }
  const reply = (await host.host.dispatch('cli', 'tools.call', params, context)) as ToolReply
  return reply.kind === 'result' ? reply.text : JSON.stringify(reply)
}

/** Every entry about calls of this tool, oldest first. */
async function entriesOf(host: TestHost, tool: string) {
  const rows = (await host.rows()).filter((row) => row.tool === tool)
  const stories = await Promise.all(rows.map(({ seq }) => host.window('audit.story', { seq })))
  const bySeq = new Map(stories.flat().map((entry) => [entry.seq, entry]))
  return [...bySeq.values()].toSorted((a, b) => a.seq - b.seq)
}

describe('a backup that is asked for', () => {
  test('names its file in the question, to whoever waits, and in every entry about it', async () => {
    const host = await openTestHost()
    const [one, two] = [path.join(host.folder, 'one.backup'), path.join(host.folder, 'two.backup')]
    const told: string[] = []
    const calls = [ask(host, 'export_backup', one, told), ask(host, 'export_backup', two)]
    const open = await host.open(2)
    expect(new Set(open.map(({ file }) => file))).toEqual(new Set([one, two]))
    expect(told[0]).toContain(one)
    const first = open.find(({ file }) => file === one)!
    await host.answer(first, 'allow')
    await host.answer(
      open.find(({ file }) => file === two)!,
      'deny',
    )
    await Promise.all(calls)
    const entries = await entriesOf(host, 'export_backup')
    expect(entries.map(({ event, kind }) => `${event} ${kind}`).toSorted()).toEqual([
      'approval.ended system',
      'approval.ended system',
      'approval.opened system',
      'approval.opened system',
      'call intent',
      'call outcome',
      'call outcome',
    ])
    for (const { detail } of entries) expect([one, two]).toContain(detail['path'])
    const ended = entries.filter(({ outcome }) => outcome !== null)
    expect(Object.fromEntries(ended.map(({ outcome, detail }) => [outcome, detail['path']]))).toEqual({ allowed: one, denied: two })
    expect(JSON.stringify(entries)).not.toContain(PASSPHRASE)
  })

  test('to a file whose name could not be read whole is refused at the door', async () => {
    const host = await openTestHost()
    expect(await ask(host, 'export_backup', `/${'x'.repeat(1000)}`)).toContain('must be at most 1000 characters')
  })
})

describe('an import that is asked for', () => {
  /** A backup of another vault, with a secret, a policy and a client. */
  async function someBackup(to: TestHost): Promise<string> {
    const from = await openTestHost()
    await from.window('secrets.store', { name: 'a', value: 'from the file' })
    await from.window('policies.save', { name: 'work', description: '', allow: ['*'], deny: [], reads: 'always' })
    await from.window('clients.register', { id: 'cursor', name: 'Cursor', policy: 'work' })
    const file = path.join(to.folder, `${from.folder.slice(-6)}.backup`)
    await from.window('backup.export', { path: file, passphrase: PASSPHRASE })
    return file
  }

  test('shows and records what it would change before the person answers, and no value', async () => {
    const host = await openTestHost()
    const call = ask(host, 'import_backup', await someBackup(host))
    const [approval] = await host.open(1)
    expect(approval!.imports).toMatchObject({
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      added: ['a'],
      changed: [],
      policies: [{ was: null, now: { name: 'work', allow: ['*'], reads: 'always' } }],
      clients: [{ id: 'cursor', policy: 'work' }],
      withKeys: false,
    })
    const [opened] = await entriesOf(host, 'import_backup')
    expect(opened).toMatchObject({ event: 'approval.opened', detail: { imports: { sha256: approval!.imports!.sha256, added: ['a'] } } })
    expect(JSON.stringify([approval, opened])).not.toContain('from the file')
    await host.answer(approval!, 'allow')
    expect(await call).toBe('Restored 1 secrets and 1 policies')
    expect(await host.window('secrets.reveal', { name: 'a', purpose: 'show' })).toEqual({ value: 'from the file' })
  })

  test.each([
    [false, false],
    [true, true],
  ])('gives clients keys only if that was chosen (%s)', async (chosen, expected) => {
    const host = await openTestHost()
    const call = ask(host, 'import_backup', await someBackup(host), [], { with_keys: chosen })
    const [approval] = await host.open(1)
    expect(approval!.imports!.withKeys).toBe(chosen)
    await host.answer(approval!, 'allow')
    await call
    expect(readKey(host.folder, 'cursor') !== null).toBe(expected)
    const again = await host.restart()
    expect(readKey(again.folder, 'cursor') !== null).toBe(expected)
    await again.window('clients.rotate', { id: 'cursor' })
    expect(readKey(again.folder, 'cursor')).not.toBeNull()
  })

  test('changes nothing when the file was exchanged after it was shown', async () => {
    const host = await openTestHost()
    const [file, other] = [await someBackup(host), await someBackup(host)]
    const call = ask(host, 'import_backup', file)
    const [approval] = await host.open(1)
    copyFileSync(other, file)
    await host.answer(approval!, 'allow')
    expect(await call).toBe('The file is not the one that was shown before you were asked. Nothing was imported; look at it again.')
    expect(await host.window('secrets.list')).toEqual([])
  })

  test('allowed late is good for that file alone', async () => {
    const host = await openTestHost()
    const [file, other] = [await someBackup(host), await someBackup(host)]
    const call = ask(host, 'import_backup', file)
    const [approval] = await host.open(1)
    await host.clock.advance(25_000)
    await call
    await host.answer(approval!, 'allow')
    copyFileSync(other, file)
    void ask(host, 'import_backup', file)
    expect(await host.open(1)).toHaveLength(1)
    expect(await host.window('secrets.list')).toEqual([])
  })

  test('with a wrong passphrase asks nobody', async () => {
    const host = await openTestHost()
    const file = await someBackup(host)
    expect(await ask(host, 'import_backup', file, [], { passphrase: 'not that one' })).toContain('The passphrase is wrong')
    expect(await host.open(0)).toEqual([])
  })
})

test('the window imports only what it has shown, on record', async () => {
  const host = await openTestHost()
  await host.window('secrets.store', { name: 'a', value: 'x' })
  const file = path.join(host.folder, 'own.backup')
  await host.window('backup.export', { path: file, passphrase: PASSPHRASE })
  const given = { path: file, passphrase: PASSPHRASE }
  await expect(host.window('backup.import', { ...given, agreed: 'x' })).rejects.toThrow('Look at what the backup would change')
  await host.window('secrets.remove', { name: 'a' })
  const { id, plan } = await host.window('backup.preview', { ...given, withKeys: false })
  expect(plan).toMatchObject({ added: ['a'], changed: [] })
  expect(await host.window('backup.import', { ...given, agreed: id })).toMatchObject({ secrets: 1 })
  const row = (await host.rows()).find(({ event }) => event === 'backup.imported')
  const [entry] = await host.window('audit.story', { seq: row!.seq })
  expect(entry?.detail).toMatchObject({ path: file, imports: { sha256: plan.sha256, added: ['a'] } })
})
