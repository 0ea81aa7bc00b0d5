// Every condition that the doctor knows gives its own next step.

import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { RegistrationInfo } from '../../../src-shared/registration.ts'
import { texts } from '../../../src-shared/texts.ts'
import { openKeyFiles } from '../../adapters/key-files.ts'
import { LinkError, type LinkErrorCode } from '../../link/connect.ts'
import { REFUSALS } from '../../link/messages.ts'
import { checkClients } from './clients.ts'
import { checkFolder, checkNode, checkRoom, checkSocket } from './computer.ts'
import { examine } from './doctor.ts'
import type { Finding } from './finding.ts'
import { hostTrouble } from './host.ts'
import { keychainOf } from './keychain.ts'

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'countersign-doctor-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

const found = ({ level, next }: Finding) => ({ level, next })
const trouble = (next: RegExp | string) => ({
  level: 'trouble',
  next: typeof next === 'string' ? next : (expect.stringMatching(next) as string),
})
const FINE = { level: 'ok', next: null }

describe('Node', () => {
  const programs = (): string => {
    const dir = folder()
    writeFileSync(path.join(dir, 'headless.js'), '')
    return dir
  }

  test('that is new enough is fine', () => {
    expect(found(checkNode(folder(), programs()))).toEqual(FINE)
  })

  test('that is too old is to be replaced', () => {
    expect(found(checkNode(folder(), programs(), '18.20.0'))).toEqual(trouble('Install Node 20 or newer.'))
  })

  test('is to be installed where nothing can run the host', () => {
    expect(found(checkNode(folder(), folder()))).toEqual(trouble(/Install Node 24/))
  })
})

describe('the data folder', () => {
  test('that is closed to others is fine', () => {
    expect(found(checkFolder(folder()))).toEqual(FINE)
  })

  test('is made by the first start where there is none', () => {
    expect(found(checkFolder(path.join(folder(), 'none')))).toEqual({ level: 'note', next: 'The first start makes it: countersign' })
  })

  test('is to be moved away where it is none', () => {
    const dir = folder()
    symlinkSync(dir, path.join(dir, 'link'))
    expect(found(checkFolder(path.join(dir, 'link')))).toEqual(trouble(/^Move it away/))
  })

  test.runIf(process.getuid?.() === 0)('is to be given back where it is another user’s', async () => {
    const dir = folder()
    const { chownSync } = await import('node:fs')
    chownSync(dir, 65_534, 65_534)
    expect(found(checkFolder(dir))).toEqual(trouble(/chown/))
  })

  test.each(['.', 'vault.db', 'keys/cursor.key'])('is to be closed where others may look into it: %s', (open) => {
    const dir = folder()
    mkdirSync(path.join(dir, 'keys'), { mode: 0o700 })
    for (const file of ['vault.db', 'keys/cursor.key']) writeFileSync(path.join(dir, file), '', { mode: 0o600 })
    expect(found(checkFolder(dir))).toEqual(FINE)
    chmodSync(path.join(dir, open), open === '.' ? 0o755 : 0o644)
    const finding = checkFolder(dir)
    expect(found(finding)).toEqual(trouble(`Close it: chmod -R go-rwx '${dir}'`))
    if (open !== '.') expect(finding.text).toContain(open)
  })
})

describe('the disk of the data folder', () => {
  const room = (kib: number) => () => ({ bavail: kib, bsize: 1024, files: 0, ffree: 0 })

  test('that is full is in trouble, one with little room is news, and one with room needs no line', () => {
    const dir = folder()
    expect(checkRoom(dir, room(16)).map(found)).toEqual([trouble(/^Make room/)])
    expect(checkRoom(dir, room(16))[0]?.text).toMatch(/^The disk is full/)
    expect(checkRoom(dir, room(2048)).map(({ level }) => level)).toEqual(['note'])
    expect(checkRoom(dir, room(1 << 20))).toEqual([])
    expect(checkRoom(dir, () => ({ bavail: 1 << 30, bsize: 1024, files: 100, ffree: 0 })).map(found)).toEqual([trouble(/^Make room/)])
    expect(checkRoom(path.join(dir, 'none'))).toEqual([])
  })
})

describe('the whole of it', () => {
  const on = (env: Record<string, string>) => {
    const stream = () => new PassThrough() as PassThrough & { isTTY?: undefined }
    return examine({ stdin: stream(), stdout: stream(), stderr: stream(), env, cwd: '/', programFolder: folder() }, false)
  }

  test('ends at a folder that cannot be ours, with what to set instead', async () => {
    const { json, exit } = await on({ COUNTERSIGN_HOME: 'not/absolute' })
    expect(exit).toBe(1)
    expect(json).toMatchObject({
      ok: false,
      checks: [{ check: 'Data folder', next: expect.stringMatching(/^Set HOME, or COUNTERSIGN_HOME/) }],
    })
  })

  test('names a next step for everything that is in trouble, and makes nothing', async () => {
    const home = path.join(folder(), 'none')
    const { json, exit } = await on({ COUNTERSIGN_HOME: home, HOME: path.dirname(home), PATH: process.env['PATH'] ?? '' })
    const { checks } = json as { checks: Finding[] }
    expect(exit).toBe(1)
    expect(checks.filter(({ level, next }) => level === 'trouble' && next === null)).toEqual([])
    expect(checks.map(({ check }) => check)).toEqual(['Node', 'Data folder', 'Socket', 'Host', 'Keychain'])
    expect(existsSync(home)).toBe(false)
  })
})

describe.runIf(process.platform !== 'win32')('the socket', () => {
  test('is news where there is none, and in the way where it is something else', () => {
    const dir = folder()
    expect(checkSocket(path.join(dir, 'host.sock')).level).toBe('note')
    writeFileSync(path.join(dir, 'host.sock'), '')
    expect(found(checkSocket(path.join(dir, 'host.sock')))).toEqual(trouble(/^Remove .*host\.sock/))
  })
})

describe('a host that cannot be asked', () => {
  const codes: LinkErrorCode[] = [...REFUSALS, 'absent', 'unsafe', 'silent', 'lost']

  test.each(codes)('has a next step: %s', (code) => {
    expect(found(hostTrouble(new LinkError(code, 'Something is in the way.'), null))).toEqual(trouble(/.{10}/))
  })

  test('is to be started where it does not run', () => {
    expect(found(hostTrouble(new LinkError('absent', 'Nobody listens.'), null))).toEqual(trouble('Start it: countersign'))
  })

  test('that ended the connection runs, and has too many files open', () => {
    const finding = hostTrouble(new LinkError('absent', 'Countersign ended the connection.', { wasEnded: true }), null)
    expect(finding.text).toMatch(/^Countersign runs, .*too many files open/)
    expect(found(finding)).toEqual(trouble(/^Run this again/))
  })

  test('whose vault is damaged is started with the daily copy where it has no window to ask in', () => {
    const damaged = (args: string[]) => found(hostTrouble(new LinkError('damaged', 'It is.'), { command: '/somewhere', args, env: {} }))
    expect(damaged(['/somewhere/headless.js'])).toEqual(trouble(/--restore-daily-copy/))
    expect(damaged(['--hidden'])).toEqual(trouble(/^Open Countersign/))
  })

  test.each(['new', 'locked'] as const)(
    'and waits for a person is to be met in its window, or on its page where it has none: %s',
    (code) => {
      const error = new LinkError(code, 'Not yet.')
      const headless = { command: process.execPath, args: ['/somewhere/headless.js'], env: {} }
      const desktop = { command: '/somewhere/countersign', args: ['--hidden'], env: {} }
      expect(found(hostTrouble(error, headless))).toEqual(trouble(/^Open its page, http:\/\/127\.0\.0\.1/))
      expect(found(hostTrouble(error, desktop))).toEqual(trouble(/^Open its window,/))
    },
  )
})

describe('the keychain', () => {
  test('that answers is fine, and so is a sealed vault', () => {
    expect(found(keychainOf({ store: 'keychain', trouble: null }))).toEqual(FINE)
    expect(found(keychainOf({ store: 'sealed', trouble: null }))).toEqual(FINE)
  })

  test('that is locked or gone has its own next step', () => {
    expect(keychainOf({ store: 'keychain', trouble: texts.keychainLocked }).level).toBe('trouble')
    expect(keychainOf({ store: 'keychain', trouble: texts.keychainUnavailable('no keyring service is running') }).level).toBe('trouble')
  })
})

describe('a client', () => {
  const info = (changes: Partial<RegistrationInfo>): RegistrationInfo => ({
    id: 'cursor',
    name: 'Cursor',
    state: 'registered',
    files: [],
    policy: 'default',
    command: [process.execPath, import.meta.filename, 'mcp', '--client', 'cursor'],
    after: '',
    running: null,
    forgetful: false,
    givenUp: false,
    installLink: null,
    backups: [],
    ...changes,
  })
  const withKey = (): string => {
    const dir = folder()
    openKeyFiles(dir).write('cursor', Buffer.alloc(32, 1))
    return dir
  }
  const check = (changes: Partial<RegistrationInfo>, dir = withKey()) => checkClients([info(changes)], dir).map(found)

  test('whose entry, command and key are there is fine', () => {
    expect(check({})).toEqual([FINE])
  })

  test('that is not on this computer is left out, and none at all is news', () => {
    expect(check({ state: 'absent' })).toEqual([{ level: 'note', next: expect.stringContaining('Register one by hand') }])
  })

  test('that is not registered can be', () => {
    expect(check({ state: 'detected' })).toEqual([{ level: 'note', next: 'countersign clients add cursor' }])
  })

  test('whose entry vanished or changed is to be repaired', () => {
    for (const state of ['vanished', 'changed'] as const) expect(check({ state })).toEqual([trouble('countersign clients repair cursor')])
    expect(check({ givenUp: true })).toEqual([trouble(/^Quit it completely/)])
  })

  test('whose file is broken is told where', () => {
    const file = {
      path: '/home/x/mcp.json',
      exists: true,
      state: 'broken',
      trouble: { message: 'the file ends too early', line: 3, column: 5 },
    } as const
    const [finding] = checkClients([info({ state: 'broken', files: [file] })], folder())
    expect(finding).toMatchObject({ text: '/home/x/mcp.json, line 3, column 5: the file ends too early.', ...trouble(/^Mend the file/) })
  })

  test.each([[['/nowhere/node', import.meta.filename]], [[process.execPath, '/nowhere/bridge.js']]])(
    'whose command is gone: %j',
    (command) => {
      expect(check({ command })).toEqual([trouble(/countersign clients repair cursor$/)])
    },
  )

  test('whose key is missing, or open to others, gets it back by a restart', () => {
    expect(check({}, folder())).toEqual([trouble(/^Restart Countersign/)])
    const dir = withKey()
    chmodSync(path.join(dir, 'keys', 'cursor.key'), 0o644)
    expect(check({}, dir)).toEqual([trouble(/^Restart Countersign/)])
  })
})
