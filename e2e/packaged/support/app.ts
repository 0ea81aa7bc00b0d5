// The packaged app as a process, seen from outside: nothing drives it but its display and its own executable.

import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { app } from '../../../scripts/packaged.ts'
import { desktopEnv, rootArgs } from '../../support/desktop.ts'
import { until, type Screen } from '../../support/screen.ts'

export interface RunningApp {
  pid: number
  stderr: () => string
  exited: Promise<number | null>
  /** Its main window is on the display. */
  windowOpens: () => Promise<void>
  /** Ports on which it, or a process of its own, listens. */
  ports: () => number[]
  /** As the session does it at its end. */
  end: () => Promise<number | null>
}

export interface AppOptions {
  home: string
  screen: Screen
  args?: string[]
  env?: NodeJS.ProcessEnv
  program?: string
}

export function startApp({ home, screen, args = [], env = {}, program = app }: AppOptions): RunningApp {
  // In a group of its own, so that its helpers can be told from everybody else's.
  const child = spawn(program, [...rootArgs, ...args], {
    env: desktopEnv({ home, screen, env }),
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  const pid = child.pid ?? 0
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return {
    pid,
    stderr: () => stderr,
    exited,
    windowOpens: () => until('the window', async () => (await windowsNamed(screen, '^Countersign$')) !== '', 30_000),
    ports: () => listening(groupOf(pid)),
    end: async () => {
      child.kill('SIGTERM')
      return exited
    },
  }
}

async function windowsNamed(screen: Screen, pattern: string): Promise<string> {
  return screen.run('xdotool', 'search', '--onlyvisible', '--name', pattern).catch(() => '')
}

/** The host that serves a home, which somebody else may have started: the bridge does, and leaves it on its own feet. */
export function hostAt(home: string): { pid: number; program: string; words: string[] } | null {
  // Not by its environment, where Chromium writes other things.
  const line = execFileSync('ss', ['-xlpnH'], { encoding: 'utf8' })
    .split('\n')
    .find((socket) => socket.includes(`${home}/`))
  const pid = /pid=(\d+)/.exec(line ?? '')?.[1]
  if (pid === undefined) return null
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split(/[\0 ]+/)
  return { pid: Number(pid), program: readlinkSync(`/proc/${pid}/exe`), words }
}

export async function endHostAt(home: string): Promise<void> {
  const host = hostAt(home)
  if (host === null) return
  process.kill(host.pid, 'SIGTERM')
  await until('the host to end', async () => !existsSync(`/proc/${host.pid}`))
}

/** The processes of a group, its leader among them. */
function groupOf(leader: number): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      // Behind the name in brackets: state, parent, group.
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[2] === String(leader)
    } catch {
      return false // It has ended meanwhile.
    }
  })
}

function listening(pids: readonly string[]): number[] {
  const table = execFileSync('ss', ['-ltnpH'], { encoding: 'utf8' })
  const lines = table.split('\n').filter((line) => pids.some((pid) => line.includes(`pid=${pid},`)))
  return lines.map((line) => Number(/:(\d+)\s+\S+:\*/.exec(line)?.[1]))
}

/** The person before the display allows what the prompt asks, with the keys that do it, as soon as it takes them. */
export async function allowOnScreen<T>(screen: Screen, asked: Promise<T>): Promise<T> {
  let answered = false
  const done = asked.finally(() => (answered = true))
  await until(
    'the question to be answered',
    async () => {
      const [prompt] = (await windowsNamed(screen, '^Countersign asks$')).split('\n')
      if (prompt && !answered) {
        // It may have closed this very moment.
        await screen.run('xdotool', 'windowactivate', '--sync', prompt, 'key', 'ctrl+Return').catch(() => '')
      }
      return answered
    },
    60_000,
  )
  return done
}
