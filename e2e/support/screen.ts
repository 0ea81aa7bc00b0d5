// A display of its own with a window manager, which nobody sees unless a test takes a picture of it.

import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
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
  /** How light each pixel of an area is, 0 to 255, row by row. */
  look: (x: number, y: number, width: number, height: number) => Promise<number[][]>
  close: () => Promise<void>
}

export async function startScreen({ width = 1280, height = 800 } = {}): Promise<Screen> {
  const memory = mkdtempSync(path.join(tmpdir(), 'countersign-screen-'))
  const server = spawn(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', `${width}x${height}x24`, '-nolisten', 'tcp', '-ac', '-noreset', '-fbdir', memory],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  )
  const env = { DISPLAY: `:${await firstLine(server)}` }
  const manager = spawn('openbox', [], { env: { ...process.env, ...env }, stdio: 'ignore' })
  const run: Screen['run'] = async (command, ...args) =>
    (await execute(command, args, { env: { ...process.env, ...env }, timeout: 20_000 })).stdout
  await until('the window manager to take over', async () => (await run('xprop', '-root', '_NET_SUPPORTING_WM_CHECK')).includes('0x'))
  return {
    env,
    run,
    shoot: async (file) => void (await run('scrot', '--overwrite', file)),
    look: async (x, y, width, height) => lightness(await readFile(path.join(memory, 'Xvfb_screen0')), { x, y, width, height }),
    close: async () => {
      await end(manager)
      await end(server)
      rmSync(memory, { recursive: true, force: true })
    },
  }
}

/** Xvfb keeps what it shows in a file of X's own picture format: a header, colours nobody uses, then the rows. */
function lightness(picture: Buffer, area: { x: number; y: number; width: number; height: number }): number[][] {
  const start = picture.readUInt32BE(0) + picture.readUInt32BE(76) * 12
  const perRow = picture.readUInt32BE(48)
  return Array.from({ length: area.height }, (_, row) =>
    Array.from({ length: area.width }, (_, column) => {
      const at = start + (area.y + row) * perRow + (area.x + column) * 4
      return Math.round(((picture[at] ?? 0) + (picture[at + 1] ?? 0) + (picture[at + 2] ?? 0)) / 3)
    }),
  )
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
