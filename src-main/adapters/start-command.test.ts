import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { findStartCommand, readStartCommand, startHost, writeStartCommand } from './start-command.ts'

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'start-'))
  file = path.join(folder, 'start.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the word a host leaves', () => {
  test('is ours alone and keeps what the desktop gave, and nothing else', () => {
    const before = process.umask(0)
    writeStartCommand(folder, process.execPath, ['a b', '--c'], {
      HOME: '/h',
      DISPLAY: ':1',
      DBUS_SESSION_BUS_ADDRESS: 'unix:x',
      API_TOKEN: 't',
    })
    process.umask(before)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readStartCommand(folder)).toEqual({
      command: process.execPath,
      args: ['a b', '--c'],
      env: { HOME: '/h', DISPLAY: ':1', DBUS_SESSION_BUS_ADDRESS: 'unix:x' },
    })
  })

  test('does not remember a bus that was not there', () => {
    writeStartCommand(folder, process.execPath, [], { DISPLAY: ':1', DBUS_SESSION_BUS_ADDRESS: 'disabled:' })
    expect(readStartCommand(folder)?.env).toEqual({ DISPLAY: ':1' })
  })

  test('is replaced whole', () => {
    writeStartCommand(folder, process.execPath, ['x'.repeat(1000)], {})
    writeStartCommand(folder, process.execPath, [], {})
    expect(readStartCommand(folder)?.args).toEqual([])
  })

  test.each([
    ['cut short', '{"command":"/bin/sh","ar'],
    ['of another shape', '{"command":"/bin/sh","args":"-c","env":{}}'],
    ['about a program that is gone', '{"command":"/nonexistent","args":[],"env":{}}'],
    ['about a relative program', '{"command":"sh","args":[],"env":{}}'],
    ['null', 'null'],
  ])('is as good as none when it is %s', (_, text) => {
    writeFileSync(file, text, { mode: 0o600 })
    expect(readStartCommand(folder)).toBeNull()
  })

  test('is refused when others could have written it, or when it is a link', () => {
    writeStartCommand(folder, process.execPath, [], {})
    chmodSync(file, 0o620)
    expect(() => readStartCommand(folder)).toThrow('is open to other users')
    rmSync(file)
    symlinkSync('/dev/zero', file)
    expect(() => readStartCommand(folder)).toThrow('is a symbolic link')
  })
})

describe('without such a word', () => {
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
