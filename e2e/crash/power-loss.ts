// Cutting the power: after a kill the folder becomes what a disk would hold, which is what was synced and nothing else, or with some
// blocks of the rest, as a disk that was in the middle of writing leaves them.

import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Chance } from './random.ts'

const SOURCE = path.join(import.meta.dirname, 'power-loss.c')
const LIBRARY = path.join(import.meta.dirname, '..', '..', '.scratch', `power-loss-${process.pid}.so`)
const BLOCK = 4096

export interface Disk {
  /** For the program whose disk it is. */
  env: NodeJS.ProcessEnv
  /** The program is dead; `torn` keeps some of what was not synced. */
  cutPower: (torn: Chance | null) => void
}

function compiled(): string {
  if (!existsSync(LIBRARY)) {
    mkdirSync(path.dirname(LIBRARY), { recursive: true })
    execFileSync('cc', [
      '-shared',
      '-fPIC',
      '-O2',
      '-Wall',
      '-Werror',
      '-Wno-format-truncation',
      '-o',
      LIBRARY,
      SOURCE,
      '-ldl',
      '-lpthread',
    ])
    process.once('exit', () => rmSync(LIBRARY, { force: true }))
  }
  return LIBRARY
}

/** Everything that is in the folder now counts as written. */
export function openDisk(root: string): Disk {
  const disk = `${root}.disk`
  const env = { LD_PRELOAD: compiled(), POWER_LOSS_ROOT: root, POWER_LOSS_DISK: disk }
  settle(root, disk)
  return {
    env,
    cutPower: (torn) => {
      const after = `${root}.after`
      rmSync(after, { recursive: true, force: true })
      for (const folder of foldersIn(root)) mkdirSync(path.join(after, folder), { recursive: true, mode: 0o700 })
      for (const encoded of readdirSync(path.join(disk, 'names')).filter((name) => !name.endsWith('.new'))) {
        const name = encoded.replaceAll('|', '/')
        const id = readFileSync(path.join(disk, 'names', encoded), 'utf8')
        const kept = path.join(disk, 'data', id)
        const synced = existsSync(kept) ? readFileSync(kept) : Buffer.alloc(0)
        const live = path.join(root, name)
        const written = torn !== null && idOf(live) === id ? tear(synced, readFileSync(live), torn) : synced
        writeFileSync(path.join(after, name), written, { mode: 0o600 })
      }
      rmSync(root, { recursive: true })
      renameSync(after, root)
      settle(root, disk)
    },
  }
}

/** Each block that was not synced is there or is not. */
function tear(synced: Buffer, live: Buffer, chance: Chance): Buffer {
  const size = chance.oneIn(2) ? live.length : synced.length
  const torn = Buffer.alloc(size)
  for (let at = 0; at < size; at += BLOCK) {
    const source = chance.oneIn(2) ? live : synced
    if (at < source.length) source.copy(torn, at, at, Math.min(at + BLOCK, source.length))
  }
  return torn
}

function settle(root: string, disk: string): void {
  rmSync(disk, { recursive: true, force: true })
  for (const folder of ['data', 'names']) mkdirSync(path.join(disk, folder), { recursive: true, mode: 0o700 })
  chmodSync(root, 0o700)
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())) {
    const file = path.join(entry.parentPath, entry.name)
    const id = idOf(file) ?? ''
    writeFileSync(path.join(disk, 'data', id), readFileSync(file))
    writeFileSync(path.join(disk, 'names', path.relative(root, file).replaceAll('/', '|')), id)
  }
}

function foldersIn(root: string): string[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((one) => one.isDirectory())
  return ['.', ...entries.map((one) => path.relative(root, path.join(one.parentPath, one.name)))]
}

/** As power-loss.c names it. */
function idOf(file: string): string | null {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? null : `${found.ino}-${found.birthtimeNs}`
}
