import { spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { freshHome } from './support/host.ts'

/** The lines that `npm start` prints once the build is done, up to the one that names the page. */
async function start(env: NodeJS.ProcessEnv, ...args: string[]): Promise<string[]> {
  const script = path.join(import.meta.dirname, '..', 'scripts', 'start.ts')
  const child = spawn(process.execPath, [script, '--port', '0', ...args], {
    env: { ...process.env, COUNTERSIGN_HOME: freshHome(), DISPLAY: undefined, WAYLAND_DISPLAY: undefined, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await exited
  })
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (line.includes('http://')) break
  }
  return lines
}

const PAGE = expect.stringMatching(/^Countersign is running \(OS keychain\)\. Open http:\/\/127\.0\.0\.1:\d+\/$/) as string

test('without a desktop, npm start says so in one line and names the page to open', async () => {
  expect(await start({}, '--hidden')).toEqual([
    'Starting without a window of its own, because there is no desktop here: open the page below in a browser.',
    PAGE,
  ])
})

test('where Electron does not run, npm start goes on without it', async () => {
  const [why, page] = await start(
    { DISPLAY: ':0', ELECTRON_OVERRIDE_DIST_PATH: path.join(import.meta.dirname, 'support', 'broken') },
    '--no-sandbox',
  )
  expect(why).toBe(
    'Starting without a window of its own, because Electron does not run here (no such library): open the page below in a browser.',
  )
  expect(page).toEqual(PAGE)
})

test('a second npm start names the page of the first', async () => {
  const COUNTERSIGN_HOME = freshHome()
  const [, first = ''] = await start({ COUNTERSIGN_HOME })
  const page = first.slice(first.indexOf('http://'))
  expect(await start({ COUNTERSIGN_HOME })).toContain(`Countersign is already running. Open ${page}`)
})
