// One desk per folder, and an end that leaves nothing open.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { testElectron } from '../../scripts/electron.ts'
import { startBridge } from '../support/bridge.ts'
import { desktopEnv, rootArgs, spawnDesktop, startDesktop, type Desktop } from '../support/desktop.ts'
import { dist, freshHome, PAGE_SECRET, startHost } from '../support/host.ts'
import { startScreen, until, type Screen } from '../support/screen.ts'

const execute = promisify(execFile)

let screen: Screen

beforeAll(async () => {
  screen = await startScreen()
})

afterAll(() => screen.close())

async function openDesk(home: string): Promise<Desktop> {
  const desktop = await startDesktop({ home, screen })
  onTestFinished(() => desktop.kill())
  return desktop
}

const isMainVisible = ({ app }: Desktop) =>
  app.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows().some((window) => window.webContents.getURL().includes('index.html') && window.isVisible()),
  )

test('a second start brings the first forward and leaves', async () => {
  const desktop = await openDesk(freshHome())
  // Closed, not ended: it lives on in the tray.
  const close = async () => {
    await desktop.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()
        .find(({ webContents }) => webContents.getURL().includes('index.html'))
        ?.close(),
    )
    await until('the window to go', async () => !(await isMainVisible(desktop)))
  }

  await close()
  expect(await spawnDesktop({ home: desktop.home, screen }).exited).toBe(0)
  await until('the window to come back', () => isMainVisible(desktop))

  await close()
  const headless = await execute(process.execPath, [path.join(dist, 'headless.js')], {
    env: { ...process.env, COUNTERSIGN_HOME: desktop.home },
  })
  expect(headless.stdout).toBe('Countersign is already running.\n')
  await until('the window to come back', () => isMainVisible(desktop))
})

test('a mistake that nobody caught ends it cleanly: what waits is denied, the log is closed, and nobody is left with half a host', async () => {
  const desktop = await openDesk(freshHome())
  const answer = startBridge({ home: desktop.home }).call('store_secret', { name: 'mistake', value: 'sentinel' })
  await desktop.waiting(1)
  await desktop.ask('pin.set', { pin: PAGE_SECRET })
  const child = desktop.app.process()
  const exited = once(child, 'exit')
  let told = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (told += text))
  await desktop.app.evaluate(() => void setImmediate(() => JSON.parse('sentinel')))
  expect(await answer).toBe('Error: Denied by the person')
  expect(await exited).toEqual([1, null])
  expect(told).toContain('a mistake of ours (SyntaxError)')
  expect(told).not.toContain('sentinel')
  const person = await (await startHost({ home: desktop.home })).person()
  expect((await person.rows()).filter(({ event }) => event === 'host.stopped')).toHaveLength(1)
})

test('where a headless host has the folder, the desktop app says so and leaves', async () => {
  const host = await startHost()
  const desktop = spawnDesktop({ home: host.home, screen })
  expect(await desktop.exited).toBe(0)
  expect(desktop.output()).toContain('Countersign is already running.')
})

test('quitting denies what is pending, and nothing of it is made', async () => {
  const desktop = await openDesk(freshHome())
  const clients = ['one', 'two', 'three'].map(() => startBridge({ home: desktop.home }))
  const answers = clients.map((client, index) => client.call('store_secret', { name: `quit/${index}`, value: 'sentinel' }))
  await desktop.waiting(3)
  await desktop.ask('pin.set', { pin: PAGE_SECRET })
  await desktop.quit()
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['Error: Denied by the person']))

  const host = await startHost({ home: desktop.home })
  const person = await host.person()
  expect(await person.ask('secrets.list')).toEqual([])
  const rows = await person.rows()
  expect(rows.filter(({ event, outcome }) => event === 'call' && outcome === 'denied')).toHaveLength(3)
  expect(rows.filter(({ event }) => event === 'host.stopped')).toHaveLength(1)
  expect(await person.ask('audit.verify')).toMatchObject({ state: 'ok' })
})

test('whoever starts a headless host on its folder cannot give the page a first PIN', async () => {
  const desktop = await openDesk(freshHome())
  await desktop.quit()
  await expect((await startHost({ home: desktop.home })).person()).rejects.toThrow('its first PIN has to come from you')
})

test('a signal is an orderly end too', async () => {
  const desktop = await openDesk(freshHome())
  await desktop.ask('pin.set', { pin: PAGE_SECRET })
  const child = desktop.app.process()
  const exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))
  child.kill('SIGTERM')
  expect(await exited).toBe(0)
  const host = await startHost({ home: desktop.home })
  const rows = await (await host.person()).rows()
  expect(rows.map(({ event }) => event)).toContain('host.stopped')
})

test('the bridge starts the desk again without a window, and it comes forward when asked', async () => {
  const home = freshHome()
  // Not the twin that the tests drive: a bridge starts the programs of its own installation alone.
  const first = spawnDesktop({ home, screen })
  await until('its window', async () => (await windows()) !== '')
  await until('what it leaves for the next start', () => Promise.resolve(existsSync(path.join(home, 'start.json'))))
  process.kill(first.pid, 'SIGTERM')
  expect(await first.exited).toBe(0)
  const client = startBridge({ home, env: { HOME: process.env['HOME'], PATH: process.env['PATH'], COUNTERSIGN_HOME: home } })
  await until('the host to be back', async () => (await client.call('list_secrets', {})) === '[]')
  expect(await windows()).toBe('')
  expect(await spawnDesktop({ home, screen }).exited).toBe(0)
  await until('the window to come', async () => (await windows()) !== '')
  const [pid] = (await screen.run('xdotool', 'getactivewindow', 'getwindowpid')).trim().split('\n')
  process.kill(Number(pid), 'SIGTERM')
  await until('the desk to go', async () => !existsSync(`/proc/${pid}`) && (await windows()) === '')
})

test('npm start opens the window where Electron and a desktop are there', async () => {
  const script = path.join(dist, '..', 'scripts', 'start.ts')
  const env = { ...desktopEnv({ home: freshHome(), screen }), ELECTRON_OVERRIDE_DIST_PATH: path.dirname(testElectron()) }
  const child = spawn(process.execPath, [script, ...rootArgs], { env, stdio: 'ignore' })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  onTestFinished(() => void child.kill('SIGKILL'))
  await until('the window to come', async () => (await windows()) !== '')
  child.kill('SIGTERM')
  expect(await exited).toBe(0)
})

/** That there is none, xdotool says by its exit code alone. With a word it has met a window that was just going: then it is asked again. */
async function windows(): Promise<string> {
  try {
    return (await screen.run('xdotool', 'search', '--onlyvisible', '--name', '^Countersign$')).trim()
  } catch (error) {
    return error instanceof Error && 'stderr' in error && error.stderr === '' ? '' : windows()
  }
}
