// `countersign` on a command line: a client like any other, with exit codes that scripts rely on.

import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startBridge } from './support/bridge.ts'
import { cli, type CliResult } from './support/cli.ts'
import { openDesk, type Desk } from './support/desk.ts'
import { freshHome, startHost } from './support/host.ts'
import { endHostsOf, hostsOf } from './support/started-hosts.ts'

/** Binds the command line to a policy under which reads do not ask. */
async function deskWithOpenReads(): Promise<Desk> {
  const desk = await openDesk()
  await desk.someone.ask('policies.save', { name: 'cli', description: '', allow: ['*'], deny: ['prod/*'], reads: 'always' })
  await desk.someone.ask('clients.bind', { id: 'cli', policy: 'cli' })
  return desk
}

const json = ({ stdout }: CliResult): unknown => JSON.parse(stdout)
const said = (code: number, stdout: string) => ({ code, stdout, stderr: '' })

test('every command has its exit code, its text and its JSON', async () => {
  const { home, someone, put } = await deskWithOpenReads()
  const answer = async (running: Promise<CliResult>, what: 'allow' | 'deny') => {
    const asked = await someone.answerNext(what)
    return { ...(await running), asked }
  }

  const stored = await answer(cli(home, ['store', 'token'], { stdin: 'v1' }), 'allow')
  expect(stored).toMatchObject({
    code: 0,
    stdout: "Stored secret 'token'\n",
    asked: { clientId: 'cli', tool: 'store_secret', secret: 'token' },
  })
  expect(await cli(home, ['store', 'token'], { stdin: 'v2' })).toEqual({
    code: 5,
    stdout: '',
    stderr: 'Error: Secret already exists: token (pass force=true to overwrite)\n',
  })
  const forced = await answer(cli(home, ['store', 'token', '--force', '--json'], { stdin: 'v2' }), 'allow')
  expect({ code: forced.code, json: json(forced) }).toEqual({ code: 0, json: { name: 'token', version: 2 } })
  const denied = await answer(cli(home, ['store', 'other', '--json'], { stdin: 'x' }), 'deny')
  expect({ code: denied.code, json: json(denied) }).toEqual({ code: 4, json: { error: 'Denied by the person', exit: 4 } })

  expect(await cli(home, ['get', 'token'])).toEqual(said(0, 'v2'))
  expect(json(await cli(home, ['get', 'token', '--json']))).toEqual({ name: 'token', value: 'v2' })
  expect(await cli(home, ['get', 'nowhere'])).toEqual({ code: 3, stdout: '', stderr: 'Error: Secret not found: nowhere\n' })
  expect(await cli(home, ['get', 'prod/db'])).toMatchObject({ code: 4, stdout: '' })
  expect(await cli(home, ['get', '../x'])).toMatchObject({ code: 2, stdout: '' })

  await put({ 'api/key': 'k', 'prod/db': 'p' })
  expect(await cli(home, ['list'])).toEqual(said(0, 'api/key\ntoken\n'))
  expect(json(await cli(home, ['list', '--json']))).toEqual(['api/key', 'token'])
  expect(await cli(home, ['list', '--scope', 'nowhere'])).toMatchObject({ code: 3 })
  expect(await cli(home, ['policy', 'test', 'cli', 'token'])).toEqual(said(0, 'allowed\n'))
  expect(await cli(home, ['policy', 'test', 'cli', 'prod/db'])).toEqual(said(4, 'denied\n'))
  expect(await cli(home, ['policy', 'test', 'nowhere', 'token'])).toMatchObject({ code: 3 })

  expect(await answer(cli(home, ['remove', 'token']), 'allow')).toMatchObject({ code: 0, stdout: 'Removed: token\n' })
  expect(await cli(home, ['remove', 'token'])).toEqual(said(3, 'Not found: token\n'))

  expect(json(await cli(home, ['status', '--json']))).toMatchObject({ running: true, state: 'open', store: 'keychain', waiting: 0 })
  for (const usage of [['get'], ['nonsense'], ['store', 'a', 'a value'], ['list', '--nope'], ['policy', 'test', 'one']]) {
    expect(await cli(home, usage)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^Error: .+\n$/) })
  }
})

test('a value goes in by standard input and comes out by standard output, byte for byte', async () => {
  const { home, someone } = await deskWithOpenReads()
  const values = ['no line end', 'one line end\n', '\n\r\n\t "quotes" \\ 🔑 é\uFEFF\u2028', 'v'.repeat(65_536)]
  for (const [index, value] of values.entries()) {
    const stored = cli(home, ['store', `value-${index}`], { stdin: value })
    await someone.answerNext('allow')
    expect(await stored).toMatchObject({ code: 0 })
    expect(await cli(home, ['get', `value-${index}`])).toEqual(said(0, value))
    expect(json(await cli(home, ['get', `value-${index}`, '--json']))).toMatchObject({ value })
  }
  for (const value of ['', 'v'.repeat(65_537), 'nul\0']) {
    expect(await cli(home, ['store', 'bad'], { stdin: value })).toMatchObject({ code: 2, stdout: '' })
  }
  expect((await someone.ask('secrets.list')).map(({ name }) => name)).not.toContain('bad')
})

test('the log can be shown, exported and verified', async () => {
  const { home, put } = await deskWithOpenReads()
  await put({ token: 'v' })
  expect(await cli(home, ['get', 'token'])).toMatchObject({ code: 0 })
  expect(await cli(home, ['get', 'prod/db'])).toMatchObject({ code: 4 })
  const shown = await cli(home, ['audit', 'show', '--client', 'cli'])
  expect(shown.code).toBe(0)
  expect(shown.stdout.split('\n')).toEqual([
    expect.stringMatching(/^seq +time +client +what +secret +outcome +decided by$/),
    expect.stringMatching(/cli +get_secret +prod\/db +denied/),
    expect.stringMatching(/cli +get_secret +token +allowed/),
    '',
  ])
  const rows = json(await cli(home, ['audit', 'show', '--outcome', 'denied', '--json']))
  expect(rows).toMatchObject({ rows: [{ client: 'cli', secret: 'prod/db', outcome: 'denied' }], others: 0 })

  const [lines, table] = [path.join(home, 'out.jsonl'), path.join(home, 'out.csv')]
  expect(await cli(home, ['audit', 'export', lines])).toMatchObject({ code: 0, stdout: expect.stringContaining(lines) })
  const exported = readFileSync(lines, 'utf8').trimEnd().split('\n')
  expect(exported.map((line) => (JSON.parse(line) as { event: string }).event)).toContain('host.started')
  expect(await cli(home, ['audit', 'export', table, '--format', 'csv', '--client', 'cli', '--json'])).toMatchObject({ code: 0 })
  expect(readFileSync(table, 'utf8')).toContain('prod/db')
  expect(await cli(home, ['audit', 'verify'])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^The log is intact: \d+ entries/) })
  expect(json(await cli(home, ['audit', 'verify', '--json']))).toMatchObject({ state: 'ok', breaks: [] })
})

test('of the log it reads what its policy allows and its own calls; the rest is counted', async () => {
  const { home, someone, put, client } = await openDesk()
  await someone.ask('policies.save', { name: 'narrow', description: '', allow: ['dev/*'], deny: [], reads: 'always' })
  await someone.ask('clients.bind', { id: 'cli', policy: 'narrow' })
  await put({ 'dev/db': 'v', 'prod/payroll': 'v' })
  const cursor = await client('cursor', { reads: 'always' })
  for (const name of ['dev/db', 'prod/payroll', 'prod/payroll-gone']) await cursor.call('get_secret', { name })
  expect(await cli(home, ['get', 'prod/x'])).toMatchObject({ code: 4 })

  const all = await someone.rows()
  const shown = await cli(home, ['audit', 'show', '--limit', '1000'])
  expect(shown).toMatchObject({ code: 0, stderr: '' })
  expect(shown.stdout).toMatch(/cli +get_secret +prod\/x +denied/)
  expect(shown.stdout).toMatch(/cursor +get_secret +dev\/db +allowed/)
  expect(shown.stdout).toMatch(/host\.started/)
  expect(shown.stdout).not.toContain('payroll')
  const counted = Number(/^and (\d+) others outside the policy of the command line$/m.exec(shown.stdout)?.[1])
  expect(counted).toBeGreaterThanOrEqual(3)
  const asJson = await cli(home, ['audit', 'show', '--limit', '1000', '--json'])
  expect(asJson.stdout).not.toContain('payroll')
  const { rows } = json(asJson) as { rows: unknown[] }
  expect(json(asJson)).toMatchObject({ others: counted })
  expect(rows).toHaveLength(all.length - counted)
  for (const words of [
    ['--secret', 'prod/payroll'],
    ['--secret', 'prod/none'],
    ['--text', 'payroll'],
  ]) {
    expect(await cli(home, ['audit', 'show', ...words])).toEqual(said(0, `and ${counted} others outside the policy of the command line\n`))
  }

  for (const format of ['jsonl', 'csv']) {
    const file = path.join(home, `bound.${format}`)
    const exported = await cli(home, ['audit', 'export', file])
    expect(exported).toMatchObject({
      code: 0,
      stderr: `and ${counted} others outside the policy of the command line, which were left out\n`,
    })
    const text = readFileSync(file, 'utf8')
    expect(text).toContain('prod/x')
    expect(text).toContain('dev/db')
    expect(text + exported.stdout).not.toContain('payroll')
  }
  expect(await cli(home, ['audit', 'verify'])).toMatchObject({ code: 0 })
  expect((await cli(home, ['doctor'])).stdout).toMatch(/^✓ Log: It can be read/m)
})

test('a backup asks a person, and brings everything to another folder', async () => {
  const one = await deskWithOpenReads()
  await one.put({ token: 'v', large: 'l'.repeat(9000) })
  const file = path.join(one.home, 'all.backup')
  const exported = cli(one.home, ['backup', 'export', file], { stdin: 'a long passphrase\n' })
  expect(await one.someone.answerNext('allow')).toMatchObject({ tool: 'export_backup', clientId: 'cli' })
  expect(await exported).toMatchObject({ code: 0, stdout: 'Backed up 2 secrets\n' })

  const two = await deskWithOpenReads()
  const imported = cli(two.home, ['backup', 'import', file], { stdin: 'a long passphrase\n' })
  await two.someone.answerNext('allow')
  expect(await imported).toMatchObject({ code: 0 })
  expect((await two.someone.ask('secrets.list')).map(({ name }) => name)).toEqual(['large', 'token'])
  expect(await two.someone.ask('secrets.reveal', { name: 'large', purpose: 'show' })).toEqual({ value: 'l'.repeat(9000) })

  const refused = cli(one.home, ['backup', 'export', `${file}.2`], { stdin: 'a long passphrase\n' })
  await one.someone.answerNext('deny')
  expect(await refused).toMatchObject({ code: 4 })
  expect(existsSync(`${file}.2`)).toBe(false)
})

test('it asks like any other client, waits as long as any other, and cannot answer for the person', async () => {
  const { home, someone, put } = await openDesk()
  await put({ token: 'v' })
  await someone.ask('settings.set', { waitSeconds: 5 })
  const waiting = cli(home, ['get', 'token'])
  const [approval] = await someone.waiting(1)
  for (const words of [
    ['approve', approval?.id ?? ''],
    ['allow'],
    ['answer'],
    ['approvals', 'answer'],
    ['clients', 'bind', 'cli', 'open'],
  ]) {
    expect(await cli(home, words)).toMatchObject({ code: 2 })
  }
  const late = await waiting
  const sentence = `Waiting for approval (request ${approval?.id}). Ask the person to answer it in Countersign, then repeat the same call.`
  expect(late).toMatchObject({ code: 1, stdout: '' })
  expect(late.stderr).toContain(`Waiting for a person to answer request ${approval?.id}. Answer it at http://127.0.0.1:`)
  expect(late.stderr).toContain(`Error: ${sentence}`)
  if (approval) await someone.answer(approval, 'allow')
  expect(await cli(home, ['get', 'token'])).toEqual(said(0, 'v'))

  await someone.ask('policies.save', { name: 'never', description: '', allow: ['*'], deny: [], reads: 'never' })
  await someone.ask('clients.bind', { id: 'cli', policy: 'never' })
  expect(await cli(home, ['get', 'token'])).toEqual({ code: 4, stdout: '', stderr: "Error: 'token' is never shown to AI clients\n" })
})

test('without a host every command that needs one says so with 6, and none of them starts it', async () => {
  const home = freshHome()
  const commands = [
    ['list'],
    ['get', 'a'],
    ['store', 'a'],
    ['remove', 'a'],
    ['policy', 'test', 'default', 'a'],
    ['status'],
    ['audit', 'show'],
    ['audit', 'export', path.join(home, 'x')],
    ['audit', 'verify'],
    ['backup', 'export', path.join(home, 'x')],
    ['backup', 'import', path.join(home, 'x')],
  ]
  const sentence = 'Countersign is not running. Start it, then repeat the call.'
  const answers = await Promise.all(commands.map((command) => cli(home, command, { stdin: 'long enough' })))
  for (const answer of answers) expect(answer).toEqual({ code: 6, stdout: '', stderr: `Error: ${sentence}\n` })
  expect(json(await cli(home, ['list', '--json']))).toEqual({ error: sentence, exit: 6 })
  expect(hostsOf('COUNTERSIGN_HOME', home)).toEqual([])
  for (const harmless of [['help'], ['--help'], ['--version'], ['get', '--help']])
    expect(await cli(home, harmless)).toMatchObject({ code: 0 })
})

test('alone it starts the host, or finds it; and it is the bridge as well', async () => {
  const home = freshHome()
  // So that the host it starts knows the keychain of the tests.
  await (await startHost({ home })).stop()
  onTestFinished(() => endHostsOf('COUNTERSIGN_HOME', home))
  expect(await cli(home, [])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Countersign has started\./) })
  expect(hostsOf('COUNTERSIGN_HOME', home)).toHaveLength(1)
  expect(await cli(home, [])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Countersign is running already\./) })
  expect(json(await cli(home, ['--json']))).toMatchObject({ running: true, state: 'open' })
  expect(hostsOf('COUNTERSIGN_HOME', home)).toHaveLength(1)

  const bridge = startBridge({ home, program: ['cli.js', 'mcp'] })
  expect((await bridge.initialize()).result).toMatchObject({ serverInfo: { name: 'countersign' } })
  expect(await bridge.call('list_secrets')).toBe('[]')
  bridge.process.stdin?.end()
  expect(await bridge.exited).toBe(0)
})
