// The built programs and a home folder with AI clients in it: from the page and from the command line, up to a client that connects.

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { cli } from './support/cli.ts'
import { startHost } from './support/host.ts'

function homeWith(files: Record<string, string>): string {
  const home = mkdtempSync(path.join(tmpdir(), 'countersign-home-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(home, name)), { recursive: true })
    writeFileSync(path.join(home, name), text)
  }
  return home
}

const CURSOR = '.cursor/mcp.json'
const BEFORE = '{\n  "mcpServers": {\n    "gh": { "command": "npx", "env": { "GH_TOKEN": "ghp_secretsecretsecret" } }\n  }\n}\n'

async function desk(files: Record<string, string>) {
  const home = homeWith(files)
  const host = await startHost({ env: { HOME: home, XDG_CONFIG_HOME: '' } })
  const person = await host.person()
  return { ...host, person, clientHome: home, read: (name: string) => readFileSync(path.join(home, name), 'utf8') }
}

describe('from the page', () => {
  test('a client is added, tried as it would start us, and removed to the byte; all of it on record', async () => {
    const { person, read, home } = await desk({ [CURSOR]: BEFORE })
    const before = (await person.ask('registrations.list')).find(({ id }) => id === 'cursor')
    expect(before).toMatchObject({ state: 'detected', policy: null })
    const [preview] = await person.ask('registrations.preview', { client: 'cursor', act: 'add' })
    expect(preview?.diff).toContain('+     "countersign": {')
    expect(read(CURSOR)).toBe(BEFORE)

    expect(await person.ask('registrations.add', { client: 'cursor', policy: 'default' })).toMatchObject({
      state: 'registered',
      policy: 'default',
    })
    const { countersign, gh } = (JSON.parse(read(CURSOR)) as { mcpServers: Record<string, { command: string; args: string[] }> }).mcpServers
    expect(countersign?.args.slice(-3)).toEqual(['mcp', '--client', 'cursor'])
    expect(gh).toEqual({ command: 'npx', env: { GH_TOKEN: 'ghp_secretsecretsecret' } })
    // The key is in our own folder and nowhere in theirs.
    const key = readFileSync(path.join(home, 'keys', 'cursor.key'), 'utf8').trim()
    expect(read(CURSOR)).not.toContain(key)

    const trial = await person.ask('registrations.test', { client: 'cursor' })
    expect(trial.steps.map(({ name, ok }) => [name, ok])).toEqual([
      ['handshake (before 2026)', true],
      ['list the tools (before 2026)', true],
      ['call list_secrets (before 2026)', true],
      ['handshake (2026)', true],
      ['list the tools (2026)', true],
      ['call list_secrets (2026)', true],
    ])
    expect(trial.ok).toBe(true)

    expect(await person.ask('registrations.remove', { client: 'cursor' })).toMatchObject({ state: 'detected', policy: null })
    expect(read(CURSOR)).toBe(BEFORE)
    expect(existsSync(path.join(home, 'keys', 'cursor.key'))).toBe(false)
    const rows = await person.rows()
    const events = rows.map(({ event }) => event).filter((event) => event.startsWith('registration.'))
    expect(events.toReversed()).toEqual(['registration.added', 'registration.removed'])
    expect(
      rows.filter(({ client, tool, outcome }) => client === 'cursor' && tool === 'list_secrets' && outcome === 'allowed'),
    ).toHaveLength(2)
  })

  test('an entry that another program drops is back within seconds, and stays over a restart', async () => {
    const { person, read, clientHome, home, stop } = await desk({ '.config/Claude/claude_desktop_config.json': '{}\n' })
    const file = '.config/Claude/claude_desktop_config.json'
    await person.ask('registrations.add', { client: 'claude-desktop', policy: 'default' })
    writeFileSync(path.join(clientHome, file), '{ "theirs": 1 }\n')
    await expect.poll(() => read(file), { timeout: 5000 }).toContain('countersign')
    await expect.poll(async () => (await person.rows()).map(({ event }) => event)).toContain('registration.restored')
    person.leave()
    await stop()
    writeFileSync(path.join(clientHome, file), '{ "theirs": 2 }\n')
    await startHost({ home, env: { HOME: clientHome, XDG_CONFIG_HOME: '' } })
    await expect.poll(() => read(file), { timeout: 10_000 }).toContain('countersign')
    expect(JSON.parse(read(file))).toMatchObject({ theirs: 2 })
  })
})

describe('from the command line', () => {
  test('adding asks a person: refused, nothing changes; allowed, the client is registered', async () => {
    const { person, read, home, clientHome } = await desk({ [CURSOR]: BEFORE })
    const dry = await cli(home, ['clients', 'add', 'cursor', '--dry-run'])
    expect(dry.code, dry.stderr).toBe(0)
    expect(dry.stdout).toMatch(/^\+ {3,}"countersign": \{$/m)
    expect(dry.stdout).not.toContain('ghp_')
    expect((await person.ask('approvals.list')).open).toEqual([])

    const refused = cli(home, ['clients', 'add', 'cursor'])
    const asked = await person.answerNext('deny')
    expect(asked).toMatchObject({
      clientId: 'cli',
      tool: 'add_client',
      registration: { client: 'cursor', policy: 'default' },
      mayRemember: false,
      warning: null,
    })
    expect((await refused).code).toBe(4)
    expect(read(CURSOR)).toBe(BEFORE)

    // What every user of the computer may write is said before anybody allows it.
    chmodSync(path.join(clientHome, CURSOR), 0o666)
    const warning = expect.stringMatching(/Every user of this computer may write this file/)
    const allowed = cli(home, ['clients', 'add', 'cursor', '--json'])
    expect(await person.answerNext('allow')).toMatchObject({ warning })
    expect(JSON.parse((await allowed).stdout)).toMatchObject({ id: 'cursor', state: 'registered' })
    expect(read(CURSOR)).toContain('countersign')

    const list = await cli(home, ['clients', 'list'])
    expect(list.stdout).toMatch(/^cursor +Cursor +registered +default/m)

    const removing = cli(home, ['clients', 'remove', 'cursor'])
    await person.answerNext('allow')
    expect((await removing).code).toBe(0)
    expect(read(CURSOR)).toBe(BEFORE)
  })

  test('a broken file is named with line and column and a snippet, without asking anybody', async () => {
    const { person, read, home } = await desk({ [CURSOR]: '{\n  "mcpServers": {,\n}\n' })
    const { code, stderr } = await cli(home, ['clients', 'add', 'cursor'])
    expect(code).toBe(1)
    expect(stderr).toContain(`${CURSOR}, line 2, column 18`)
    expect(stderr).toContain('"countersign"')
    expect(read(CURSOR)).toBe('{\n  "mcpServers": {,\n}\n')
    expect((await person.ask('approvals.list')).open).toEqual([])
    expect((await cli(home, ['clients', 'add', 'zed'])).code).toBe(3)
    expect((await cli(home, ['clients', 'add', 'nobody'])).code).toBe(3)
  })

  test('scanning tells server and variable, never the value', async () => {
    const { home } = await desk({ [CURSOR]: BEFORE })
    const { stdout } = await cli(home, ['clients', 'scan'])
    expect(stdout).toMatch(/Cursor +gh +GH_TOKEN +environment/)
    expect(stdout).not.toContain('ghp_')
  })
})
