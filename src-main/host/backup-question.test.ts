import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { CLI_CLIENT_ID, type Caller } from '../../src-shared/client.ts'
import type { ToolReply } from '../../src-shared/rpc.ts'
import { openTestHost, type TestHost } from './testing/test-host.ts'

const PASSPHRASE = 'correct horse battery'
const cli: Caller = { clientId: CLI_CLIENT_ID, clientName: 'Command line', standing: 'verified', connection: randomUUID(), peer: [] }

/** A call of the command line; `told` collects what it hears while it waits. */
async function ask(host: TestHost, tool: string, file: string, told: string[] = []): Promise<string> {
  const params = { tool, arguments: { path: file, passphrase: PASSPHRASE } }
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
