import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { findStartCommand, startHost, writeStartCommand } from './start-command.ts'

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'start-'))
  file = path.join(folder, 'start.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** An installation from the source, with its own Electron, beside the data folder. */
function installation() {
  const programs = path.join(folder, 'clone', 'dist')
  const electron = path.join(folder, 'clone', 'node_modules', 'electron', 'dist', 'electron')
  for (const dir of [programs, path.dirname(electron)]) mkdirSync(dir, { recursive: true })
  const [headless, desktop] = ['headless.js', 'desktop.js'].map((name) => path.join(programs, name)) as [string, string]
  for (const script of [headless, desktop]) writeFileSync(script, '')
  writeFileSync(electron, '', { mode: 0o755 })
  return { programs, electron, headless, desktop, own: { command: process.execPath, args: [headless], env: {} } }
}

describe('the file that a host leaves', () => {
  test('is ours alone and keeps what the desktop gave, and nothing else', () => {
    const { programs, headless } = installation()
    const before = process.umask(0)
    writeStartCommand(folder, process.execPath, [headless], {
      HOME: '/h',
      PATH: '/tmp/foreign:/bin',
      DISPLAY: ':1',
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1000/bus',
      COUNTERSIGN_HOME: folder,
      API_TOKEN: 't',
    })
    process.umask(before)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const env = { DISPLAY: ':1', DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1000/bus', COUNTERSIGN_HOME: folder }
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ env })
    expect(findStartCommand(folder, programs)).toEqual({ command: process.execPath, args: [headless], env })
  })

  test('does not remember a bus that was not there', () => {
    const { programs, headless } = installation()
    writeStartCommand(folder, process.execPath, [headless], { DISPLAY: ':1', DBUS_SESSION_BUS_ADDRESS: 'disabled:' })
    expect(findStartCommand(folder, programs)?.env).toEqual({ DISPLAY: ':1' })
  })

  test('brings back the desktop app of this installation', () => {
    const { programs, electron, desktop } = installation()
    writeStartCommand(folder, electron, [desktop, '--no-sandbox', '--hidden'], { DISPLAY: ':1' })
    expect(findStartCommand(folder, programs)).toEqual({
      command: electron,
      args: [desktop, '--no-sandbox', '--hidden'],
      env: { DISPLAY: ':1' },
    })
  })

  test('leads a kept copy of the executable back to its app', () => {
    const app = path.join(folder, 'Countersign-0.1.0.AppImage')
    writeFileSync(app, '', { mode: 0o755 })
    writeStartCommand(folder, app, ['--hidden'], {})
    expect(findStartCommand(folder, path.join(folder, 'bin'))).toEqual({ command: app, args: ['--hidden'], env: {} })
    writeStartCommand(folder, '/bin/sh', ['--hidden'], {})
    expect(findStartCommand(folder, path.join(folder, 'bin'))).toBeNull()
  })

  test('starts nothing else, whatever command it names: the host of this installation is started instead', () => {
    const { programs, electron, headless, desktop, own } = installation()
    const foreign = path.join(folder, 'electron')
    writeFileSync(foreign, '', { mode: 0o755 })
    const commands: [string, string[]][] = [
      ['/bin/sh', ['-c', 'true']],
      ['/bin/sh', [headless]],
      [process.execPath, ['-e', '0']],
      [process.execPath, ['--require=/tmp/x.js', headless]],
      [process.execPath, [headless, '--http']],
      [process.execPath, [path.join(folder, 'headless.js')]],
      [foreign, [desktop, '--hidden']],
      [path.join(folder, 'clone', '..', 'electron'), [desktop]],
      [process.execPath, [desktop]],
      [electron, [desktop, '--inspect']],
      [electron, ['--require=/tmp/x.js', desktop]],
      [electron, [path.join(folder, 'app')]],
    ]
    for (const [command, args] of commands) {
      writeStartCommand(folder, command, args, {})
      expect(findStartCommand(folder, programs), `${command} ${args.join(' ')}`).toEqual(own)
    }
  })

  test('gives the next host only the variables that a host would write, in their shape', () => {
    const { programs, own } = installation()
    const env = {
      NODE_OPTIONS: '--require=/tmp/x.js',
      LD_PRELOAD: '/tmp/x.so',
      ELECTRON_RUN_AS_NODE: '1',
      HOME: '/tmp/h',
      PATH: '/tmp',
      SHELL: '/tmp/x',
      GTK_MODULES: '/tmp/x.so',
      DISPLAY: 'elsewhere; x',
      DBUS_SESSION_BUS_ADDRESS: 'unixexec:path=/tmp/x',
      XAUTHORITY: '../x',
      XDG_RUNTIME_DIR: 'relative',
      XDG_CURRENT_DESKTOP: 'a\nb',
      LANG: '/tmp/x;',
      COUNTERSIGN_HOME: '/tmp/another',
      COUNTERSIGN_PASSPHRASE_FILE: 'relative',
    }
    writeFileSync(file, JSON.stringify({ command: own.command, args: own.args, env }), { mode: 0o600 })
    expect(findStartCommand(folder, programs)).toEqual(own)
    for (const address of ['autolaunch:', 'unix:path=/run/bus;unixexec:path=/tmp/x', 'tcp:host=evil,port=1']) {
      writeFileSync(file, JSON.stringify({ ...own, env: { DBUS_SESSION_BUS_ADDRESS: address } }), { mode: 0o600 })
      expect(findStartCommand(folder, programs), address).toEqual(own)
    }
  })

  test('is replaced whole', () => {
    const { programs, headless } = installation()
    writeStartCommand(folder, process.execPath, ['x'.repeat(1000)], { DISPLAY: ':1' })
    writeStartCommand(folder, process.execPath, [headless], {})
    expect(findStartCommand(folder, programs)?.env).toEqual({})
  })

  test.each([
    ['cut short', '{"command":"/bin/sh","ar'],
    ['of another shape', '{"command":"/bin/sh","args":"-c","env":{}}'],
    ['about a program that is gone', '{"command":"/nonexistent","args":[],"env":{}}'],
    ['about a relative program', '{"command":"sh","args":[],"env":{}}'],
    ['null', 'null'],
  ])('is as good as none when it is %s', (_, text) => {
    const { programs, own } = installation()
    writeFileSync(file, text, { mode: 0o600 })
    expect(findStartCommand(folder, programs)).toEqual(own)
  })

  test('is refused when others could have written it, or when it is a link', () => {
    const { programs } = installation()
    writeStartCommand(folder, process.execPath, [], {})
    chmodSync(file, 0o620)
    expect(() => findStartCommand(folder, programs)).toThrow('is open to other users')
    rmSync(file)
    symlinkSync('/dev/zero', file)
    expect(() => findStartCommand(folder, programs)).toThrow('is a symbolic link')
  })
})

describe('without such a file', () => {
  test('the headless host beside the program is started with a Node that is new enough', () => {
    const programs = path.join(folder, 'a', 'dist')
    mkdirSync(programs, { recursive: true })
    expect(findStartCommand(folder, programs)).toBeNull()
    writeFileSync(path.join(programs, 'headless.js'), '')
    expect(findStartCommand(folder, programs)).toEqual({ command: process.execPath, args: [path.join(programs, 'headless.js')], env: {} })
  })

  test('the packaged executable starts the app that it lies in, without a window', () => {
    const programs = path.join(folder, 'Countersign', 'resources', 'bin')
    const app = path.join(folder, 'Countersign', 'countersign')
    mkdirSync(programs, { recursive: true })
    expect(findStartCommand(folder, programs)).toBeNull()
    writeFileSync(app, '', { mode: 0o755 })
    expect(findStartCommand(folder, programs)).toEqual({ command: app, args: ['--hidden'], env: {} })
    // A copy that is kept elsewhere belongs to no app.
    expect(findStartCommand(folder, path.join(folder, 'home', 'bin'))).toBeNull()
  })

  test('an old Node finds the newer one of the project, above the program', () => {
    const programs = path.join(folder, 'a', 'dist')
    const newer = path.join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin')
    mkdirSync(programs, { recursive: true })
    mkdirSync(newer, { recursive: true })
    writeFileSync(path.join(programs, 'headless.js'), '')
    writeFileSync(path.join(newer, 'node'), '', { mode: 0o755 })
    const versions = vi.spyOn(process, 'versions', 'get').mockReturnValue({ ...process.versions, node: '20.11.0' })
    try {
      expect(findStartCommand(folder, programs)?.command).toBe(path.join(newer, 'node'))
      rmSync(newer, { recursive: true })
      expect(findStartCommand(folder, programs)).toBeNull()
    } finally {
      versions.mockRestore()
    }
  })
})

test('a host is started with the desktop it was left with, and without what the starter keeps for itself', async () => {
  const seen = path.join(folder, 'seen')
  const script = `require('fs').writeFileSync(process.argv[1] + '.new', JSON.stringify(process.env)); require('fs').renameSync(process.argv[1] + '.new', process.argv[1])`
  await startHost(
    { command: process.execPath, args: ['-e', script, seen], env: { DISPLAY: ':1' } },
    { HOME: '/h', PATH: '/bin', API_TOKEN: 't', NODE_OPTIONS: '--bad', ELECTRON_RUN_AS_NODE: '1', DISPLAY: ':0' },
  )
  const env = await vi.waitFor(() => JSON.parse(readFileSync(seen, 'utf8')) as Record<string, string>, { timeout: 10_000 })
  expect(env).toEqual({ HOME: '/h', PATH: '/bin', DISPLAY: ':1' })
})

test('a folder in the place of its file is told in a sentence that says what to do, and nothing is left beside it', () => {
  const file = path.join(folder, 'start.json')
  mkdirSync(file)
  expect(() => writeStartCommand(folder, '/bin/true', [], {})).toThrow(
    `There is a folder at '${file}', where Countersign needs a file. Move it away, then start Countersign again.`,
  )
  expect(readdirSync(folder)).toEqual(['start.json'])
})

test('a program that cannot be started is said so', async () => {
  await expect(startHost({ command: path.join(folder, 'gone'), args: [], env: {} }, {})).rejects.toThrow('ENOENT')
})
