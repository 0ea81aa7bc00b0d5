// A display of its own with a window manager, which nobody sees unless a test takes a picture of it.

import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Where pictures go. They are for people; no test looks at them. */
export function pictures(name: string): string {
  const folder = path.join(import.meta.dirname, '..', '..', '.scratch', 'pictures')
  mkdirSync(folder, { recursive: true })
  return path.join(folder, `${name}.png`)
}

export interface Screen {
  /** What programs need to find it. */
  env: { DISPLAY: string }
  /** A program of X's own, such as xdotool; what it printed. */
  run: (command: string, ...args: string[]) => Promise<string>
  /** A picture of everything, for people to look at. */
  shoot: (file: string) => Promise<void>
  close: () => Promise<void>
}

export async function startScreen({ width = 1280, height = 800 } = {}): Promise<Screen> {
  const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', `${width}x${height}x24`, '-nolisten', 'tcp', '-ac', '-noreset'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const env = { DISPLAY: `:${await firstLine(server)}` }
  const manager = spawn('openbox', [], { env: { ...process.env, ...env }, stdio: 'ignore' })
  const run: Screen['run'] = async (command, ...args) =>
    (await execute(command, args, { env: { ...process.env, ...env }, timeout: 20_000 })).stdout
  await until('the window manager to take over', async () => (await run('xprop', '-root', '_NET_SUPPORTING_WM_CHECK')).includes('0x'))
  return {
    env,
    run,
    shoot: async (file) => void (await run('scrot', '--overwrite', file)),
    close: async () => {
      await end(manager)
      await end(server)
    },
  }
}

function firstLine(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    server.once('error', reject)
    server.once('exit', (code) => reject(new Error(`Xvfb left with ${code}`)))
    server.stdio[3]?.on('data', (data: Buffer) => {
      text += data.toString()
      if (text.includes('\n')) resolve(text.trim())
    })
  })
}

export function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })
}

/** Waits for what nothing announces, such as the doings of a window manager. */
export async function until(what: string, holds: () => Promise<boolean>, limitMs = 15_000): Promise<void> {
  const start = performance.now()
  while (!(await holds())) {
    if (performance.now() - start > limitMs) throw new Error(`waited ${limitMs} ms in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
