// The app as `npm start` runs it, from the built programs: no switch, no variable and no signal opens it to a debugger.

import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { testElectron } from '../../scripts/electron.ts'
import { startBridge } from '../support/bridge.ts'
import { desktopEnv, rootArgs } from '../support/desktop.ts'
import { dist, freshHome } from '../support/host.ts'
import { listening } from '../support/listening.ts'
import { startScreen, until, type Screen } from '../support/screen.ts'

let screen: Screen
beforeAll(async () => {
  screen = await startScreen()
})
afterAll(() => screen.close())

function start(args: string[], home: string, env: NodeJS.ProcessEnv = {}) {
  const child = spawn(testElectron(), [...rootArgs, ...args], {
    env: desktopEnv({ home, screen, env }),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return { pid: child.pid ?? 0, exited, stderr: () => stderr }
}

const program = path.join(dist, 'desktop.js')
const isWindowOpen = async () => (await screen.run('xdotool', 'search', '--onlyvisible', '--name', '^Countersign$').catch(() => '')) !== ''

/** The process and everything it started, and what those started. */
function family(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  )
  return [pid, ...children.flatMap(family)]
}

// With --inspect-brk it waits before our first line, with nothing loaded; whoever lets it go on sees it end there.
test.each([
  ['--inspect before our script', ['--inspect=0', program]],
  ['--inspect behind our script', [program, '--inspect=0']],
  ['a switch that gives the windows other rules', [program, '--disable-web-security']],
])('it does not start with %s', async (_name, args) => {
  const { exited } = start(args, freshHome())
  expect(await exited).toBe(2)
})

test('it does not start with NODE_OPTIONS that ask for an inspector', async () => {
  const { exited, stderr } = start([program], freshHome(), { NODE_OPTIONS: '--inspect=0' })
  expect(await exited).toBe(2)
  expect(stderr()).toContain('countersign: this program does not run under a debugger.')
})

test('debugging ports for its windows and SIGUSR1 open nothing in any of its processes, and it works', async () => {
  const home = freshHome()
  const { pid, stderr } = start([program, '--remote-debugging-port=0', '--remote-debugging-pipe', '--remote-allow-origins=*'], home)
  await until('the window', isWindowOpen)
  const client = startBridge({ home })
  expect(await client.call('list_secrets', {})).toBe('[]')
  // Node runs in our process and in the keychain helper; the others would end at this signal.
  const ours = family(pid).filter((one) => one === pid || readFileSync(`/proc/${one}/cmdline`, 'utf8').includes('utility-sub-type=node'))
  expect(ours.length).toBeGreaterThan(1)
  for (const one of ours) process.kill(one, 'SIGUSR1')
  expect(await client.call('list_secrets', {})).toBe('[]')
  expect(family(pid).map(listening)).toEqual(family(pid).map(() => 0))
  expect(stderr()).not.toMatch(/Debugger|DevTools listening/)
})
