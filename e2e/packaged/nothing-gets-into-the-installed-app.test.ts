// What a program of the same person could try in order to run its code as our app, or to look into it. Each attempt is also made on
// something that gives in, so that the tests look where something could be.

import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { desktopTwin } from '../../scripts/desktop-twin.ts'
import { testElectron } from '../../scripts/electron.ts'
import { app, executable, twin } from '../../scripts/packaged.ts'
import { freshHome } from '../support/host.ts'
import { startScreen, until, type Screen } from '../support/screen.ts'
import { startApp } from './support/app.ts'

let screen: Screen
let folder: string
beforeAll(async () => {
  screen = await startScreen()
  folder = mkdtempSync(path.join(tmpdir(), 'countersign-foreign-'))
})
afterAll(async () => {
  await screen.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Foreign code, and whether it ran. */
function foreign(): { script: string; ran: () => boolean } {
  const trace = path.join(mkdtempSync(path.join(folder, 'code-')), 'ran')
  const script = `${trace}.cjs`
  writeFileSync(script, `require('node:fs').writeFileSync(${JSON.stringify(trace)}, 'x')`)
  return { script, ran: () => existsSync(trace) }
}

const { RunAsNode, EnableCookieEncryption, EnableNodeOptionsEnvironmentVariable, EnableNodeCliInspectArguments } = FuseV1Options
const { EnableEmbeddedAsarIntegrityValidation, OnlyLoadAppFromAsar, GrantFileProtocolExtraPrivileges } = FuseV1Options

test('the fuses are set, and the tests’ twin differs in the one that Playwright needs, and in one word of our program', async () => {
  const [released, driven] = await Promise.all([app, twin].map((program) => getCurrentFuseWire(program)))
  expect(released).toMatchObject({
    [RunAsNode]: FuseState.DISABLE,
    [EnableNodeOptionsEnvironmentVariable]: FuseState.DISABLE,
    [EnableNodeCliInspectArguments]: FuseState.DISABLE,
    [EnableCookieEncryption]: FuseState.ENABLE,
    [EnableEmbeddedAsarIntegrityValidation]: FuseState.ENABLE,
    [OnlyLoadAppFromAsar]: FuseState.ENABLE,
    [GrantFileProtocolExtraPrivileges]: FuseState.DISABLE,
  })
  expect(driven).toEqual({ ...released, [EnableNodeCliInspectArguments]: FuseState.ENABLE })
  const [ours, theirs] = [app, twin].map((program) => readFileSync(path.join(path.dirname(program), 'resources', 'app.asar'), 'latin1'))
  expect(theirs === ours?.replace('inspector-refused', 'inspector-allowed')).toBe(true)
})

test('neither NODE_OPTIONS nor a debugging port nor SIGUSR1 gives anything to the app that runs: it listens nowhere, and works', async () => {
  const { script, ran } = foreign()
  const args = ['--remote-debugging-port=0', '--remote-allow-origins=*']
  const running = startApp({ home: freshHome(), screen, args, env: { NODE_OPTIONS: `--require=${script} --inspect=0` } })
  await running.windowOpens()
  process.kill(running.pid, 'SIGUSR1')
  // Whatever the signal starts has been started by the time another app has come up.
  const second = startApp({ home: freshHome(), screen, args: ['--inspect=0'] })
  expect(await second.exited).toBe(2)
  expect(running.ports()).toEqual([])
  expect(await running.end()).toBe(0)
  expect(ran()).toBe(false)
  expect(running.stderr()).not.toMatch(/listening on ws:/i)
})

test('the twin of the app from source does listen, for the signal: the test above looks where something could be', async () => {
  const args = [desktopTwin()]
  const running = startApp({ home: freshHome(), screen, args, program: testElectron() })
  await running.windowOpens()
  process.kill(running.pid, 'SIGUSR1')
  await until('the inspector', async () => /Debugger listening on ws:/.test(running.stderr()))
  expect(running.ports()).not.toEqual([])
})

test('ELECTRON_RUN_AS_NODE makes no Node of it, as it does of an Electron without fuses', async () => {
  const inVain = foreign()
  const running = startApp({ home: freshHome(), screen, args: [inVain.script], env: { ELECTRON_RUN_AS_NODE: '1' } })
  // It is the app all the same, and does not look at the script.
  await running.windowOpens()
  expect(inVain.ran()).toBe(false)
  const code = startApp({ home: freshHome(), screen, args: ['-e', 'process.exit(0)'], env: { ELECTRON_RUN_AS_NODE: '1' } })
  expect(await code.exited).toBe(2)

  const works = foreign()
  await promisify(execFile)(testElectron(), [works.script], { env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' } })
  expect(works.ran()).toBe(true)
})

test.each([
  '--inspect',
  '--inspect-brk=0',
  '--js-flags=--expose-gc',
  '--user-data-dir=/tmp',
  '--load-extension=/tmp',
  '--disable-web-security',
])('it refuses %s', async (switched) => {
  const running = startApp({ home: freshHome(), screen, args: [switched] })
  expect(await running.exited).toBe(2)
  expect(running.stderr()).toContain('unknown switch')
})

test('its code comes from its archive alone: a folder beside it is not looked at', async () => {
  const { script, ran } = foreign()
  // By other names the same files, and a folder that an Electron without that fuse would prefer to nothing.
  const copy = mkdtempSync(path.join(path.dirname(app), '..', '..', 'copy-'))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  await promisify(execFile)('cp', ['-al', path.dirname(app), path.join(copy, 'app')])
  const resources = path.join(copy, 'app', 'resources')
  rmSync(path.join(resources, 'app.asar'))
  await promisify(execFile)('cp', ['-r', path.dirname(script), path.join(resources, 'app')])
  writeFileSync(path.join(resources, 'app', 'package.json'), JSON.stringify({ name: 'x', main: path.basename(script) }))
  const running = startApp({ home: freshHome(), screen, program: path.join(copy, 'app', 'countersign') })
  await running.exited
  expect(ran()).toBe(false)
})

test('NODE_OPTIONS runs nothing in the executable that is bridge and command line, as it does in plain Node', async () => {
  const inVain = foreign()
  const run = (program: string, args: string[], { script }: { script: string }) => {
    const env = { ...process.env, COUNTERSIGN_NO_START: '1', NODE_OPTIONS: `--require=${script}` }
    const running = promisify(execFile)(program, args, { env })
    running.child.stdin?.end()
    return running
  }
  expect((await run(executable, ['--version'], inVain)).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  await run(executable, ['mcp'], inVain)
  expect(inVain.ran()).toBe(false)
  const works = foreign()
  await run(process.execPath, ['-e', '0'], works)
  expect(works.ran()).toBe(true)
})

test.each([['--inspect=0'], ['--require=/tmp/x.js'], ['-e', '0'], ['--import=/tmp/x.js']])(
  'options of Node are none of its own: %s',
  async (...args) => {
    const failed: unknown = await promisify(execFile)(executable, args).catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: 2, stdout: '' })
  },
)
