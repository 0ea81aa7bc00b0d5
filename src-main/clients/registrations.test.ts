import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CLIENTS, type ClientFacts } from './facts.ts'
import { openDocument, decode } from './formats/open.ts'
import { fixturesFor, LAUNCH, type Fixture } from './testing/fixtures.ts'
import { openWorld, until, type World } from './testing/world.ts'

const entryOf = (world: World, id: string, file: string) => openDocument(decode(readFileSync(file)).text, world.facts(id)).entry
const stateOf = async (world: World, id: string) => (await world.registrations.list()).find((info) => info.id === id)?.state

/** Every file that a format can be is tried with one client of that format, and with all of them among the long tests. */
function fixturesToTry(facts: ClientFacts): Fixture[] {
  const all = fixturesFor(facts).filter(({ refused }) => refused === undefined)
  const format = JSON.stringify(facts.format)
  const isFirst = CLIENTS.find((other) => JSON.stringify(other.format) === format) === facts
  if (isFirst || process.env['COUNTERSIGN_LONG_TESTS'] !== undefined) return all
  return all.filter(({ name }) => ['clean', 'BOM and CRLF', 'missing'].includes(name))
}

describe.each(CLIENTS)('$name', (facts) => {
  test('adding and then removing gives back the very same bytes, mode and link, whatever stood there', async () => {
    const fixtures = fixturesToTry(facts)
    const cycle = async ({ name, text }: Fixture, mode: number, linked: boolean) => {
      const world = openWorld()
      const file = world.install(facts.id)
      const dotfiles = path.join(world.home, 'dotfiles')
      mkdirSync(dotfiles)
      const real = linked ? path.join(dotfiles, 'config') : file
      if (linked) symlinkSync(real, file)
      if (text !== null) writeFileSync(real, text)
      if (text !== null) chmodSync(real, mode)
      const added = await world.registrations.add(facts.id, 'default')
      expect(added.state, name).toBe('registered')
      expect(entryOf(world, facts.id, file)).toEqual(facts.entry(LAUNCH))
      if (text !== null) expect(statSync(file).mode & 0o777, name).toBe(mode)
      expect(await world.registrations.add(facts.id, 'default')).toMatchObject({ state: 'registered' })
      const removed = await world.registrations.remove(facts.id)
      expect(removed.state).toBe('detected')
      if (text === null) expect(existsSync(file), name).toBe(false)
      else expect(readFileSync(file, 'utf8'), name).toBe(text)
      if (linked) expect(readlinkSync(file)).toBe(real)
      expect(readdirSync(path.dirname(real)).filter((each) => each.includes('countersign-'))).toEqual([])
    }
    const [clean] = fixtures
    if (clean === undefined) throw new Error('there is nothing to try')
    await Promise.all([...fixtures.map((fixture) => cycle(fixture, 0o644, false)), cycle(clean, 0o600, true), cycle(clean, 0o600, false)])
  })

  test('a file that is not right is left alone, and the reason is told with its place', async () => {
    const world = openWorld()
    const file = world.install(facts.id)
    for (const { name, text, refused } of fixturesFor(facts).filter((fixture) => fixture.refused !== undefined)) {
      writeFileSync(file, text ?? '')
      const before = statSync(file, { bigint: true })
      await expect(world.registrations.add(facts.id, 'default'), name).rejects.toThrow(refused)
      await expect(world.registrations.add(facts.id, 'default'), name).rejects.toThrow(/left as it is/)
      expect(readFileSync(file, 'utf8')).toBe(text)
      expect(statSync(file, { bigint: true }).mtimeNs).toBe(before.mtimeNs)
      const [preview] = world.registrations.preview(facts.id, 'add')
      expect(preview).toMatchObject({
        does: 'nothing',
        trouble: { message: expect.any(String) },
        snippet: expect.stringContaining('countersign'),
      })
    }
    expect(world.ledger.size).toBe(0)
  })

  test('when somebody else changed the file meanwhile, only our entry goes', async () => {
    const world = openWorld()
    const file = world.install(facts.id)
    await world.registrations.add(facts.id, 'default')
    const text = readFileSync(file, 'utf8')
    // A change that every format can take, before and after our entry.
    const theirs = facts.format.kind === 'json' ? text.replace('{', '{ "theirs": 1,') : `# theirs\n${text}`
    writeFileSync(file, theirs)
    await world.registrations.remove(facts.id)
    const left = readFileSync(file, 'utf8')
    expect(left).toContain('theirs')
    expect(left).not.toContain('countersign')
  })
})

describe('a registration', () => {
  test('shows exactly what it would do before it does it, and none of what others keep secret', async () => {
    const world = openWorld()
    const file = world.install('cursor')
    const text = '{\n  "mcpServers": {\n    "gh": {\n      "env": { "TOKEN": "ghp_verysecret" }\n    }\n  }\n}\n'
    writeFileSync(file, text)
    const [preview] = world.registrations.preview('cursor', 'add')
    expect(preview?.does).toBe('change')
    expect(preview?.diff).toMatchInlineSnapshot(`
      "      "gh": {
              "env": { …
      +     },
      +     "countersign": {
      +       "command": "/opt/node/bin/node",
      +       "args": [
      +         "/opt/my app/bridge.js",
      +         "mcp",
      +         "--client",
      +         "x"
      +       ]
            }
          }"
    `)
    expect(readFileSync(file, 'utf8')).toBe(text)
    writeFileSync(file, JSON.stringify({ mcpServers: { gh: { env: { TOKEN: 'ghp_verysecret' } } } }))
    expect(world.registrations.preview('cursor', 'add')[0]?.diff).not.toContain('verysecret')
    await world.registrations.add('cursor', 'default')
    expect(world.registrations.preview('cursor', 'remove')[0]?.diff).not.toContain('verysecret')
    expect(world.registrations.preview('cursor', 'add')[0]?.does).toBe('nothing')
  })

  test('keeps what was there before in a backup that nobody can read, and goes back to it', async () => {
    const world = openWorld()
    const file = world.install('cursor')
    const text = '{ "mcpServers": { "gh": { "env": { "TOKEN": "ghp_verysecret" } } } }'
    writeFileSync(file, text)
    const { backups } = await world.registrations.add('cursor', 'default')
    expect(backups).toMatchObject([{ path: file, existed: true }])
    for (const name of readdirSync(path.join(world.folder, 'config-backups'))) {
      const sealed = path.join(world.folder, 'config-backups', name)
      expect(Buffer.from(readFileSync(sealed, 'utf8'), 'base64').includes('verysecret')).toBe(false)
      expect(statSync(sealed).mode & 0o777).toBe(0o600)
    }
    await world.registrations.undo(backups[0]?.id ?? '')
    expect(readFileSync(file, 'utf8')).toBe(text)
    expect(await stateOf(world, 'cursor')).toBe('detected')
  })

  test('is removed by its entry alone when its backup was tampered with', async () => {
    const world = openWorld()
    const file = world.install('cursor')
    writeFileSync(file, '{ "theirs": 1 }')
    const { backups } = await world.registrations.add('cursor', 'default')
    const sealed = path.join(world.folder, 'config-backups', `${backups[0]?.id}.sealed`)
    writeFileSync(sealed, readFileSync(sealed, 'utf8').replace(/^.{40}/, 'A'.repeat(40)))
    await expect(world.registrations.undo(backups[0]?.id ?? '')).rejects.toThrow(/gone/)
    await world.registrations.remove('cursor')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ theirs: 1 })
  })

  test('is not undone over what somebody else has written since', async () => {
    const world = openWorld()
    const file = world.install('cursor')
    writeFileSync(file, '{}')
    const { backups } = await world.registrations.add('cursor', 'default')
    const changed = readFileSync(file, 'utf8').replace('{', '{ "late": 1,')
    writeFileSync(file, changed)
    await expect(world.registrations.undo(backups[0]?.id ?? '')).rejects.toThrow(/changed since/)
    expect(readFileSync(file, 'utf8')).toBe(changed)
  })

  test('with an entry that somebody changed is told as changed, not fought over, and repaired when asked', async () => {
    const world = openWorld()
    const file = world.install('cursor')
    await world.registrations.add('cursor', 'default')
    writeFileSync(file, readFileSync(file, 'utf8').replace('/opt/node/bin/node', '/tmp/evil'))
    expect(await stateOf(world, 'cursor')).toBe('changed')
    await expect(world.registrations.test('cursor')).rejects.toThrow(/repair/)
    await world.registrations.repair('cursor')
    expect(await stateOf(world, 'cursor')).toBe('registered')
    await world.registrations.remove('cursor')
    expect(existsSync(file)).toBe(false)
    expect(world.events).toEqual([])
  })

  test('makes the folders a fresh install lacks, and takes them away again', async () => {
    const world = openWorld()
    mkdirSync(path.join(world.home, '.kiro'))
    await world.registrations.add('kiro', 'default')
    expect(existsSync(path.join(world.home, '.kiro', 'settings', 'mcp.json'))).toBe(true)
    await world.registrations.remove('kiro')
    expect(readdirSync(path.join(world.home, '.kiro'))).toEqual([])
  })

  test('takes its key with it when it goes', async () => {
    const world = openWorld()
    world.install('cursor')
    await world.registrations.add('cursor', 'default')
    await world.registrations.remove('cursor')
    expect(world.revoked).toEqual(['cursor'])
    expect(world.ledger.has('registration:cursor')).toBe(false)
  })

  test('is refused for a client that is not here, or that nobody knows', async () => {
    const world = openWorld()
    await expect(world.registrations.add('cursor', 'default')).rejects.toThrow('Cursor is not on this computer')
    await expect(world.registrations.add('nobody', 'default')).rejects.toThrow(/no AI client/)
    expect(await stateOf(world, 'cursor')).toBe('absent')
  })

  test('waits for the client’s own lock, and leaves none behind', async () => {
    const world = openWorld()
    const file = world.install('claude-code')
    writeFileSync(file, '{}\n')
    mkdirSync(`${file}.lock`)
    const adding = world.registrations.add('claude-code', 'default')
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(readFileSync(file, 'utf8')).toBe('{}\n')
    rmSync(`${file}.lock`, { recursive: true })
    await adding
    expect(await stateOf(world, 'claude-code')).toBe('registered')
    expect(existsSync(`${file}.lock`)).toBe(false)
  })

  test('is refused for a file that is larger than any configuration, at once', async () => {
    const world = openWorld()
    const file = world.install('cursor')
    writeFileSync(file, Buffer.alloc(50 * 1024 * 1024, 32))
    const started = performance.now()
    await expect(world.registrations.add('cursor', 'default')).rejects.toThrow(/larger than 5 MB/)
    expect(performance.now() - started).toBeLessThan(10_000)
    expect(statSync(file).size).toBe(50 * 1024 * 1024)
  })

  test('is refused for a folder, a link to nowhere and bytes that are no text', async () => {
    const world = openWorld()
    const file = world.install('cursor')
    symlinkSync(path.join(world.home, 'nowhere'), file)
    await expect(world.registrations.add('cursor', 'default')).rejects.toThrow(/leads nowhere/)
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
    rmSync(file)
    writeFileSync(file, Buffer.from([0x7b, 0x0a, 0xff, 0xfe, 0x7d]))
    await expect(world.registrations.add('cursor', 'default')).rejects.toThrow(/line 2, column 1.*UTF-8/)
    rmSync(file)
    mkdirSync(file)
    await expect(world.registrations.add('cursor', 'default')).rejects.toThrow(/not a plain file/)
  })
})

describe('a file that every user of the computer may write', () => {
  test('is edited only by a person who was warned, in the preview and not behind their back', async () => {
    const world = openWorld()
    const file = world.install('cursor')
    writeFileSync(file, '{}\n')
    chmodSync(file, 0o666)
    const [open] = world.registrations.preview('cursor', 'add')
    expect(open).toMatchObject({
      does: 'change',
      trouble: null,
      warning: expect.stringMatching(/Every user.*may write this file.*chmod o-w/),
    })
    await world.registrations.add('cursor', 'default')
    expect(await stateOf(world, 'cursor')).toBe('registered')

    writeFileSync(file, '{}\n')
    await until('the record', () => world.events.some(({ event }) => event === 'registration.not restored'))
    expect(readFileSync(file, 'utf8')).toBe('{}\n')

    chmodSync(file, 0o644)
    expect(world.registrations.preview('cursor', 'repair')[0]).toMatchObject({ does: 'change', warning: null })
  })

  test('or put another one in place of is no different, unless the folder is sticky', () => {
    const world = openWorld()
    const folder = path.dirname(world.install('cursor'))
    const warned = () => world.registrations.preview('cursor', 'add')[0]?.warning ?? null
    expect(warned()).toBe(null)
    chmodSync(folder, 0o777)
    expect(warned()).toMatch(/put another file in place of this one/)
    chmodSync(folder, 0o1777)
    expect(warned()).toBe(null)
  })
})

/** Mounts a disk of 64 KiB there; false where this user may not. */
function mountSmall(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=0700', 'countersign-test', folder], { stdio: 'ignore' })
  } catch {
    return false
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]))
  return true
}

describe('a file on a full disk', () => {
  test('is left as it is with that reason, and its entry, which was never there, is not missed', async ({ skip }) => {
    const world = openWorld()
    const file = world.install('cursor')
    if (!mountSmall(path.dirname(file))) return skip('this user may not mount a small disk')
    writeFileSync(file, '{}')
    const ballast = path.join(path.dirname(file), 'ballast')
    expect(() => writeFileSync(ballast, Buffer.alloc(1 << 20))).toThrow('ENOSPC')
    await expect(world.registrations.add('cursor', 'default')).rejects.toThrow(
      `${file}: it cannot be written, because the disk is full. It was left as it is.`,
    )
    expect(readFileSync(file, 'utf8')).toBe('{}')
    expect(await stateOf(world, 'cursor')).toBe('detected')
    rmSync(ballast)
    await world.registrations.add('cursor', 'default')
    expect(await stateOf(world, 'cursor')).toBe('registered')
  })
})

describe('an entry that vanishes', () => {
  /** As Claude Desktop does: the file as it remembers it, without us. */
  const forget = (file: string) => writeFileSync(file, '{\n  "mcpServers": {},\n  "theme": "dark"\n}\n')

  test('is put back within seconds, on record, and after three times in a minute the person is told instead', async () => {
    const world = openWorld()
    const file = world.install('claude-desktop')
    await world.registrations.add('claude-desktop', 'default')
    for (let times = 1; times <= 3; times++) {
      forget(file)
      await until('the entry to come back', () => readFileSync(file, 'utf8').includes('countersign'), 5000)
      await until('the record', () => world.events.filter(({ event }) => event === 'registration.restored').length === times)
    }
    expect(readFileSync(file, 'utf8')).toContain('"theme": "dark"')
    expect(world.registrations.alarms()).toEqual([])
    forget(file)
    await until('the alarm', () => world.registrations.alarms().length === 1)
    expect(world.registrations.alarms()[0]?.text).toContain('Claude Desktop keeps removing our entry')
    expect(world.events.at(-1)?.event).toBe('registration.given up')
    expect(readFileSync(file, 'utf8')).not.toContain('countersign')
    expect((await world.registrations.list()).find(({ id }) => id === 'claude-desktop')).toMatchObject({ state: 'vanished', givenUp: true })
    expect(world.registrations.acknowledge('registration:claude-desktop')).toBe(true)
    expect(world.registrations.alarms()).toEqual([])
    await world.registrations.repair('claude-desktop')
    expect(await stateOf(world, 'claude-desktop')).toBe('registered')
  })

  test('while Countersign was away is put back when it starts', async () => {
    const world = openWorld()
    const file = world.install('claude-desktop')
    await world.registrations.add('claude-desktop', 'default')
    await world.registrations.close()
    forget(file)
    await world.reopen()
    await until('the entry to come back', () => readFileSync(file, 'utf8').includes('countersign'))
    expect(readFileSync(file, 'utf8')).toContain('"theme": "dark"')
  })

  test('after its registration was revoked is not put back, and one that is still there is told as changed', async () => {
    const world = openWorld()
    const file = world.install('claude-desktop')
    await world.registrations.add('claude-desktop', 'default')
    world.revoke('claude-desktop')
    expect(await stateOf(world, 'claude-desktop')).toBe('changed')
    forget(file)
    await world.reopen()
    await world.registrations.close()
    expect(readFileSync(file, 'utf8')).not.toContain('countersign')
    expect(world.events).toEqual([])
  })

  test('with the client itself is let go', async () => {
    const world = openWorld()
    const file = world.install('claude-desktop')
    await world.registrations.add('claude-desktop', 'default')
    await world.registrations.close()
    rmSync(path.dirname(file), { recursive: true })
    await world.reopen()
    expect(await stateOf(world, 'claude-desktop')).toBe('absent')
    expect(world.events).toEqual([])
    await world.registrations.remove('claude-desktop')
    expect(existsSync(path.dirname(file))).toBe(false)
  })

  test('from a file that no longer parses is told as broken, and nothing is written', async () => {
    const world = openWorld()
    const file = world.install('claude-desktop')
    await world.registrations.add('claude-desktop', 'default')
    writeFileSync(file, '{ "mcpServers": {')
    expect(await stateOf(world, 'claude-desktop')).toBe('broken')
    await world.reopen()
    await world.registrations.close()
    expect(readFileSync(file, 'utf8')).toBe('{ "mcpServers": {')
  })
})

describe('what came by an install link', () => {
  const linkOf = async (world: World) => (await world.registrations.list()).find(({ id }) => id === 'cursor')?.installLink ?? ''
  /** As Cursor does it when the person agrees. */
  const install = (link: string, file: string) => {
    const config = new URL(link).searchParams.get('config') ?? ''
    const countersign = JSON.parse(Buffer.from(config, 'base64').toString()) as { args: string[] }
    writeFileSync(file, JSON.stringify({ mcpServers: { countersign } }))
    return countersign.args
  }

  test('names the registration where there is one, and nobody where there is none', async () => {
    const world = openWorld()
    const file = world.install('cursor')
    expect(install(await linkOf(world), file)).not.toContain('--client')
    expect(await stateOf(world, 'cursor')).toBe('changed')
    world.register('cursor')
    expect(install(await linkOf(world), file)).toContain('--client')
    expect(await stateOf(world, 'cursor')).toBe('registered')
  })

  test('is removed like what we wrote ourselves', async () => {
    const world = openWorld()
    const file = world.install('cursor')
    world.register('cursor')
    install(await linkOf(world), file)
    expect(await world.registrations.remove('cursor')).toMatchObject({ state: 'detected' })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ mcpServers: {} })
    expect(world.revoked).toEqual(['cursor'])
  })
})
