// Somebody else's file: read it whole, and replace it whole or not at all. Whoever writes it at the same time loses nothing.

import { randomBytes } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { syncFolder } from '../host/files.ts'
import { ownedByUs } from '../link/trust.ts'
import { exchange } from './exchange.ts'
import { Fault } from './formats/document.ts'

const LARGEST = 5 * 1024 * 1024
const windows = process.platform === 'win32'

export interface Content {
  /** What links lead to: it is written through them. */
  real: string
  /** Null: there is no file. */
  bytes: Buffer | null
}

/** The file changed between reading and writing: read it again. `after`: our bytes were in place for a moment. */
export class Overtaken extends Error {
  override name = 'Overtaken'
  readonly how: 'before' | 'after'
  constructor(how: Overtaken['how']) {
    super('The file is being changed by another program; try again.')
    this.how = how
  }
}

export function readConfig(file: string): Content {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) {
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Fault('it is a link that leads nowhere')
    return { real: file, bytes: null }
  }
  if (!stats.isFile()) throw new Fault('it is not a plain file')
  if (stats.size > LARGEST) throw new Fault('it is larger than 5 MB')
  try {
    return { real: realpathSync(file), bytes: readFileSync(file) }
  } catch (error) {
    throw asFault(error)
  }
}

/** Whether we may write it at all. Root may write anything, and so must look at what is meant. */
export function requireWritable({ real, bytes }: Content): void {
  if (bytes !== null) {
    const stats = statSync(real)
    if (!ownedByUs(stats)) throw new Fault('it belongs to another user')
    if ((stats.mode & 0o200) === 0) throw new Fault('it is read-only')
  }
  let folder = path.dirname(real)
  while (!existsSync(folder)) folder = path.dirname(folder)
  try {
    if (bytes !== null) accessSync(real, constants.W_OK)
    accessSync(folder, constants.W_OK)
  } catch (error) {
    throw asFault(error)
  }
}

/**
 * Why what stands in it may be anybody's: every user of the computer may write it, or put another file in its place. Null where
 * they may not. It may be edited all the same, by a person who was told.
 */
export function openToOthers({ real, bytes }: Content): string | null {
  if (windows) return null
  const everybody = (stats: Stats | undefined) => stats !== undefined && (stats.mode & 0o002) !== 0
  if (bytes !== null && everybody(statSync(real, { throwIfNoEntry: false }))) {
    return `Every user of this computer may write this file, and so choose what the client starts. Close it to them: chmod o-w '${real}'`
  }
  const folder = path.dirname(real)
  const around = statSync(folder, { throwIfNoEntry: false })
  // In a sticky folder nobody replaces what belongs to somebody else.
  if (!everybody(around) || ((around?.mode ?? 0) & 0o1000) !== 0) return null
  return `Every user of this computer may put another file in place of this one, and so choose what the client starts. Close its folder to them: chmod o-w '${folder}'`
}

function asFault(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code
  return code === 'EACCES' || code === 'EPERM' || code === 'EROFS' ? new Fault('this account may not write it') : error
}

export type FaultPoint = (name: string) => void

/** Folders that had to be made for the file, outermost first. */
export function makeFolders(file: string): string[] {
  const missing: string[] = []
  for (let folder = path.dirname(file); !existsSync(folder); folder = path.dirname(folder)) missing.unshift(folder)
  for (const folder of missing) mkdirSync(folder, { mode: 0o700 })
  return missing
}

/**
 * Puts `after` in place of what was read, if that is still what is there; throws Overtaken otherwise. Returns the file that was
 * replaced, open: a writer that had it open too may finish only now, where nobody looks any more.
 */
export function replaceConfig({ real, bytes }: Content, after: Buffer | null, faultPoint: FaultPoint = () => {}): number | null {
  const folder = path.dirname(real)
  sweep(folder, path.basename(real))
  if (after === null) {
    if (!holds(real, bytes)) throw new Overtaken('before')
    unlinkSync(real)
    syncFolder(folder)
    return null
  }
  const draft = path.join(folder, `.${path.basename(real)}.countersign-${randomBytes(6).toString('hex')}`)
  const old = bytes === null ? null : openSync(real, 'r')
  try {
    writeDraft(draft, after, old)
    faultPoint('drafted')
    if (bytes === null) create(draft, real)
    else replace(draft, real, bytes, after)
    faultPoint('replaced')
    syncFolder(folder)
    if (!holds(real, after)) throw new Overtaken('after')
    return old
  } catch (error) {
    if (old !== null) closeSync(old)
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

function writeDraft(draft: string, after: Buffer, old: number | null): void {
  const descriptor = openSync(draft, 'wx', 0o600)
  try {
    writeFileSync(descriptor, after)
    if (!windows) {
      const like = old === null ? null : fstatSync(old)
      if (like !== null && like.gid !== fstatSync(descriptor).gid) fchownSync(descriptor, like.uid, like.gid)
      fchmodSync(descriptor, like === null ? 0o600 : like.mode & 0o7777)
    }
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** A link appears at once, and never over something. */
function create(draft: string, real: string): void {
  try {
    linkSync(draft, real)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw new Overtaken('before')
    if (existsSync(real)) throw new Overtaken('before')
    renameSync(draft, real)
  }
}

function replace(draft: string, real: string, bytes: Buffer, after: Buffer): void {
  const exchanged = exchange(draft, real, bytes)
  if (exchanged === 'done') return
  // Where the system cannot do better, nothing else happens in this process between this look and the rename.
  if (exchanged === 'other content' || !holds(real, bytes)) throw new Overtaken('before')
  try {
    renameSync(draft, real)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // There a file that somebody holds open cannot be replaced, only written.
    if (!windows || (code !== 'EPERM' && code !== 'EBUSY' && code !== 'EACCES')) throw error
    writeFileSync(real, after)
  }
}

function holds(real: string, bytes: Buffer | null): boolean {
  const stats = statSync(real, { throwIfNoEntry: false })
  if (stats === undefined || bytes === null) return stats === undefined && bytes === null
  return stats.size === bytes.length && readFileSync(real).equals(bytes)
}

/** All of an open file. */
export function readOpen(descriptor: number): Buffer {
  const bytes = Buffer.alloc(fstatSync(descriptor).size)
  let at = 0
  while (at < bytes.length) {
    const count = readSync(descriptor, bytes, at, bytes.length - at, at)
    if (count === 0) break
    at += count
  }
  return bytes.subarray(0, at)
}

const ABANDONED_MS = 10_000

/** Drafts of ours that a crash left behind. */
function sweep(folder: string, name: string): void {
  for (const entry of readdirSync(folder)) {
    if (!entry.startsWith(`.${name}.countersign-`)) continue
    const draft = path.join(folder, entry)
    const stats = lstatSync(draft, { throwIfNoEntry: false })
    if (stats?.isFile() && ownedByUs(stats) && Date.now() - stats.mtimeMs > ABANDONED_MS) rmSync(draft, { force: true })
  }
}
