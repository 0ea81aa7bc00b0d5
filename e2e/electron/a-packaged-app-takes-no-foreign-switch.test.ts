// Electron takes itself for packaged when its program is not called electron. A tree of links under another name is enough to see
// how the app then behaves; fuses come with the real package (e2e/packaged), and with them the refusal to be inspected.

import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { desktopTwin } from '../../scripts/desktop-twin.ts'
import { testElectron } from '../../scripts/electron.ts'
import { startBridge } from '../support/bridge.ts'
import { desktopEnv, rootArgs } from '../support/desktop.ts'
import { dist, freshHome } from '../support/host.ts'
import { startScreen, until, type Screen } from '../support/screen.ts'

const root = path.join(dist, '..')
let screen: Screen
let folder: string

beforeAll(async () => {
  screen = await startScreen()
  // On the same disk as Electron, so that links do.
  const electron = path.dirname(testElectron())
  folder = mkdtempSync(path.join(electron, '..', 'packaged-'))
  execFileSync('cp', ['-al', electron, path.join(folder, 'bin')])
  renameSync(path.join(folder, 'bin', 'electron'), path.join(folder, 'bin', 'countersign'))
  const app = path.join(folder, 'bin', 'resources', 'app')
  mkdirSync(app)
  cpSync(dist, path.join(app, 'dist'), { recursive: true })
  writeFileSync(path.join(app, 'package.json'), JSON.stringify({ name: 'countersign', main: 'dist/desktop.js' }))
  symlinkSync(path.join(root, 'node_modules'), path.join(app, 'node_modules'))
})

afterAll(async () => {
  await screen.close()
  rmSync(folder, { recursive: true, force: true })
})

function start(program: string, args: string[], home: string) {
  const child = spawn(program, [...rootArgs, ...args], { env: desktopEnv({ home, screen }), stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return { exited, stderr: () => stderr }
}

const packaged = () => path.join(folder, 'bin', 'countersign')

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as net.AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = net.connect({ host: '127.0.0.1', port })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

test('asked for a debugging port it opens none, and works', async () => {
  const home = freshHome()
  const port = await freePort()
  start(packaged(), [`--remote-debugging-port=${port}`, '--remote-allow-origins=*'], home)
  // The bridge comes later: where nobody serves, it starts a host of its own.
  await until(
    'the window',
    async () => (await screen.run('xdotool', 'search', '--onlyvisible', '--name', '^Countersign$').catch(() => '')) !== '',
  )
  const client = startBridge({ home })
  expect(await client.call('list_secrets', {})).toBe('[]')
  expect(await answers(port)).toBe(false)
})

test('the same switch opens the port of the twin that the tests drive: the test above looks where something could be', async () => {
  const home = freshHome()
  const port = await freePort()
  start(testElectron(), [desktopTwin(), `--remote-debugging-port=${port}`], home)
  await until('the port', () => answers(port))
  expect(await answers(port)).toBe(true)
})

test.each(['--js-flags=--expose-gc', '--load-extension=/tmp', '-user-data-dir=/tmp', '--disable-web-security', '--proxy-server=evil:1'])(
  'it refuses %s',
  async (foreign) => {
    const { exited, stderr } = start(packaged(), [foreign], freshHome())
    expect(await exited).toBe(2)
    expect(stderr()).toContain(`unknown switch --${foreign.replace(/^-+/, '').split('=')[0]}`)
  },
)
