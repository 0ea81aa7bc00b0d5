// `npm start`: the desktop app where Electron and a desktop are there, else the same host with its page in a browser.

import { spawn, spawnSync } from 'node:child_process'
import path from 'node:path'
import { installedElectron } from './electron.ts'

const root = path.join(import.meta.dirname, '..')
const FETCH_LIMIT_MS = 120_000
const PROBE_LIMIT_MS = 15_000
const DESKTOP_ONLY = ['--hidden', '--no-sandbox']

type Choice = { program: string } | { why: string }

function choose(): Choice {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env
  if (process.platform === 'linux' && !DISPLAY && !WAYLAND_DISPLAY) return { why: 'there is no desktop here' }
  if (process.getuid?.() === 0 && !process.argv.includes('--no-sandbox')) return { why: 'Electron does not run as root' }
  const program = installedElectron() ?? fetched()
  if (program === null) return { why: 'Electron could not be fetched' }
  const { status, stderr } = spawnSync(program, ['--no-sandbox', '--version'], { encoding: 'utf8', timeout: PROBE_LIMIT_MS })
  const [reason = ''] = (stderr ?? '').trim().split('\n')
  return status === 0 ? { program } : { why: `Electron does not run here${reason === '' ? '' : ` (${reason})`}` }
}

/** npm brings Electron without its binary, which the package fetches from GitHub when asked. */
function fetched(): string | null {
  console.log('Fetching Electron…')
  spawnSync(process.execPath, [path.join(root, 'node_modules', 'electron', 'install.js')], { stdio: 'ignore', timeout: FETCH_LIMIT_MS })
  return installedElectron()
}

const choice = choose()
const args = process.argv.slice(2)
if ('why' in choice) console.log(`Starting without a window of its own, because ${choice.why}: open the page below in a browser.`)
const child =
  'why' in choice
    ? spawn(process.execPath, [path.join(root, 'dist', 'headless.js'), ...args.filter((arg) => !DESKTOP_ONLY.includes(arg))], {
        stdio: 'inherit',
      })
    : spawn(choice.program, [root, ...args], { stdio: 'inherit' })
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => {
  process.exitCode = code ?? (signal === null ? 1 : 128)
})
