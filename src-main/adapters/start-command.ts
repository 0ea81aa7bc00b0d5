// How to start the host. The host leaves the command in its folder, because AI clients hand their children a bare
// environment: without the display and the bus of the desktop there is no window and no keychain.

import { accessSync, constants, existsSync } from 'node:fs'
import path from 'node:path'
import { appAround } from './packaged.ts'
import type { Env } from './paths.ts'
import { readPrivateFile, writePrivateFile } from './private-file.ts'
import { REMEMBERED, rememberedOf } from './start-environment.ts'

export interface StartCommand {
  command: string
  args: string[]
  env: Record<string, string>
}

/** What the starter passes on of its own. AI clients keep tokens of all kinds in theirs, which are no business of the host. */
const PASSED_ON = [
  ...REMEMBERED,
  'HOME',
  'PATH',
  'USER',
  'LOGNAME',
  'SHELL',
  'TMPDIR',
  'SystemRoot',
  'SystemDrive',
  'USERPROFILE',
  'APPDATA',
  'LOCALAPPDATA',
  'TEMP',
  'TMP',
]

const HEADLESS = 'headless.js'
const DESKTOP = 'desktop.js'
/** All that the desktop app says of how it was started (src-main/electron/desktop.ts). */
const SWITCHES = ['--no-sandbox', '--hidden']

const startFile = (folder: string): string => path.join(folder, 'start.json')

export function writeStartCommand(folder: string, command: string, args: string[], env: Env): void {
  const start: StartCommand = { command, args, env: rememberedOf(env, folder) }
  writePrivateFile(startFile(folder), `${JSON.stringify(start, null, 2)}\n`)
}

interface Left {
  /** Null where what it names is no program of this installation. */
  start: Omit<StartCommand, 'env'> | null
  env: Record<string, string>
}

/** What a host has left in the folder; null when there is nothing to be read. */
function readLeft(folder: string, programFolder: string): Left | null {
  const text = readPrivateFile(startFile(folder))
  const left = text === null ? null : parse(text)
  return left === null ? null : { start: ofThisInstallation(left, folder, programFolder), env: rememberedOf(left.env, folder) }
}

/**
 * Any program of this user can write the file, and one that can do nothing else must not get its code run by it. So the file only
 * chooses between the hosts that were installed with us, of which we know ourselves where they lie.
 */
function ofThisInstallation({ command, args }: StartCommand, folder: string, programFolder: string): Left['start'] {
  const app = appAround(programFolder)
  if (app !== null) return command === app && isProgram(app) && args.every(isSwitch) ? { command, args } : null
  // A copy of the packaged executable that is kept beside the file (an AppImage, Windows): whoever can write the one can write the other.
  if (programFolder === path.join(folder, 'bin')) return isPackagedApp(command) && args.every(isSwitch) ? { command, args } : null
  const [script, ...switches] = args
  if (script === path.join(programFolder, HEADLESS) && switches.length === 0) return headlessIn(programFolder)
  const isOurDesktop = script === path.join(programFolder, DESKTOP) && switches.every(isSwitch)
  return isOurDesktop && existsSync(script) && isElectronBeside(programFolder, command) ? { command, args } : null
}

const isSwitch = (arg: string): boolean => SWITCHES.includes(arg)

const isPackagedApp = (command: string): boolean =>
  /^countersign[\w.-]*\.(appimage|exe)$/i.test(path.basename(command)) && isProgram(command)

/** Somewhere in the clone: whoever can write there can change our programs as well. */
function isElectronBeside(programFolder: string, command: string): boolean {
  const inside = path.relative(path.dirname(programFolder), command)
  const isBelow = !inside.startsWith('..') && !path.isAbsolute(inside) && path.normalize(command) === command
  return isBelow && /^electron(\.exe)?$/i.test(path.basename(command)) && isProgram(command)
}

function headlessIn(programFolder: string): Left['start'] {
  const headless = path.join(programFolder, HEADLESS)
  const node = existsSync(headless) ? newEnoughNode(programFolder) : null
  return node === null ? null : { command: node, args: [headless] }
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

/** The command a host has left in the folder, where it belongs to this installation; else the host that was installed with us. */
export function findStartCommand(folder: string, programFolder: string): StartCommand | null {
  const left = readLeft(folder, programFolder)
  const env = left?.env ?? {}
  if (left !== null && left.start !== null) return { ...left.start, env }
  const app = appAround(programFolder)
  if (app !== null && isProgram(app)) return { command: app, args: ['--hidden'], env }
  const headless = headlessIn(programFolder)
  return headless === null ? null : { ...headless, env }
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

function pick(env: Env, names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))
}
