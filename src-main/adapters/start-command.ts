// How to start the host. The host leaves the command in its folder, because AI clients hand their children a bare
// environment: without the display and the bus of the desktop there is no window and no keychain.

import { accessSync, constants, existsSync } from 'node:fs'
import path from 'node:path'
import { appAround } from './packaged.ts'
import type { Env } from './paths.ts'
import { readPrivateFile, writePrivateFile } from './private-file.ts'

export interface StartCommand {
  command: string
  args: string[]
  env: Record<string, string>
}

/** What a host needs of the desktop it was started on. */
const REMEMBERED = [
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
  'XDG_SESSION_TYPE',
  'XDG_CURRENT_DESKTOP',
  'HOME',
  'PATH',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'TZ',
  'COUNTERSIGN_HOME',
  'COUNTERSIGN_PASSPHRASE_FILE',
]

/** What the starter passes on of its own. AI clients keep tokens of all kinds in theirs, which are no business of the host. */
const PASSED_ON = [...REMEMBERED, 'TMPDIR', 'SystemRoot', 'SystemDrive', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'TEMP', 'TMP']

const HEADLESS = 'headless.js'

const startFile = (folder: string): string => path.join(folder, 'start.json')

export function writeStartCommand(folder: string, command: string, args: string[], env: Env): void {
  const start: StartCommand = { command, args, env: pick(env, REMEMBERED) }
  writePrivateFile(startFile(folder), `${JSON.stringify(start, null, 2)}\n`)
}

/** null when no host has left one, or its program is gone. */
export function readStartCommand(folder: string): StartCommand | null {
  const text = readPrivateFile(startFile(folder))
  const start = text === null ? null : parse(text)
  return start !== null && isProgram(start.command) ? start : null
}

function parse(text: string): StartCommand | null {
  try {
    const start = JSON.parse(text) as Partial<StartCommand> | null
    const { command, args, env } = start ?? {}
    const strings = (values: unknown[]): boolean => values.every((value) => typeof value === 'string')
    if (typeof command !== 'string' || !path.isAbsolute(command) || !Array.isArray(args) || !strings(args)) return null
    return typeof env === 'object' && env !== null && strings(Object.values(env)) ? { command, args, env } : null
  } catch {
    return null // Cut short or edited by hand: as good as none, since the host writes it anew at its next start.
  }
}

/** The command a host has left in the folder; else the host that was installed with the starting program, be it app or headless. */
export function findStartCommand(folder: string, programFolder: string): StartCommand | null {
  const left = readStartCommand(folder)
  if (left !== null) return left
  const app = appAround(programFolder)
  if (app !== null && isProgram(app)) return { command: app, args: ['--hidden'], env: {} }
  const headless = path.join(programFolder, HEADLESS)
  const node = existsSync(headless) ? newEnoughNode(programFolder) : null
  return node === null ? null : { command: node, args: [headless], env: {} }
}

/** Whether this host has windows of its own; without, it has a page for a browser. */
export function hasWindows({ args }: StartCommand): boolean {
  return !args.some((arg) => path.basename(arg) === HEADLESS)
}

/** node:sqlite is there without a flag from 22.13 on. */
export function newEnoughNode(programFolder: string): string | null {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const own = path.basename(process.execPath).replace(/\.exe$/i, '')
  if (own === 'node' && (major > 22 || (major === 22 && minor >= 13))) return process.execPath
  const windows = process.platform === 'win32'
  const platform = windows ? 'win' : process.platform
  const inside = path.join('node_modules', `node-${platform}-${process.arch}`, 'bin', windows ? 'node.exe' : 'node')
  for (let folder = programFolder; ; folder = path.dirname(folder)) {
    const node = path.join(folder, inside)
    if (isProgram(node)) return node
    if (folder === path.dirname(folder)) return null
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Starts it on its own feet: it outlives whoever started it, and writes nothing where that one writes. */
export async function startHost({ command, args, env }: StartCommand, own: Env): Promise<void> {
  const { spawn } = await import('node:child_process')
  const child = spawn(command, args, { detached: true, stdio: 'ignore', env: { ...pick(own, PASSED_ON), ...env }, windowsHide: true })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  child.unref()
}

/** Chromium's way of saying that it found no bus. Remembered, it would hide the bus of a later session. */
const NO_BUS = 'disabled:'

function pick(env: Env, names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined || env[name] === NO_BUS ? [] : [[name, env[name]]])))
}
