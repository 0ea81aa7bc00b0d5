// A copy of vault.db from yesterday at the latest. It holds what vault.db holds: no value that is not sealed.

import { copyFileSync, existsSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { syncFolder } from './files.ts'
import type { Clock } from './ports.ts'
import { DamagedStore, isDamage, makePrivate, quickCheck } from './store.ts'
import { VAULT_FILE } from './vault/open.ts'

const COPY_FILE = 'vault-daily.db'
const DAY_MS = 24 * 3600_000
const LOOK_EVERY_MS = 3600_000

export interface DailyCopy {
  /** The first copy, when one is due. Rejects when it could not be made. */
  readonly first: Promise<void>
  /** The look under way, if any, is over. */
  settled: () => Promise<void>
  stop: () => Promise<void>
}

export interface DailyCopyParts {
  db: DatabaseSync
  folder: string
  clock: Clock
  /** Whether a copy may take the place of the one before now. */
  mayCopy?: () => boolean
  onFailed?: (error: unknown) => void
}

/** Looks every hour, because a laptop that sleeps does not count its days. */
export function keepDailyCopy({ db, folder, clock, mayCopy = () => true, onFailed = () => {} }: DailyCopyParts): DailyCopy {
  let stopped = false
  let cancel = () => {}
  let last: Promise<void> = Promise.resolve()

  const look = (): void => {
    last = (async () => {
      if (mayCopy() && isDue(folder, clock.now())) await copyNow(db, folder)
    })()
    last.catch(onFailed)
    if (!stopped) cancel = clock.after(LOOK_EVERY_MS, look)
  }
  look()
  // Whoever cares hears of a failure through `onFailed`.
  const settled = () => last.catch(() => {})
  return {
    first: last,
    settled,
    stop: () => {
      stopped = true
      cancel()
      return settled()
    },
  }
}

export async function copyNow(db: DatabaseSync, folder: string): Promise<void> {
  const part = path.join(folder, `${COPY_FILE}.part`)
  removeWithCompanions(part)
  makePrivate(part)
  await backup(db, part)
  // A damaged copy must not take the place of a good one.
  expectSound(part)
  renameSync(part, path.join(folder, COPY_FILE))
  syncFolder(folder)
}

/** Puts the daily copy in the place of a vault that cannot be trusted. That one is moved aside, never deleted. */
export function restoreDailyCopy(folder: string): { aside: string | null } {
  const copy = path.join(folder, COPY_FILE)
  if (!existsSync(copy)) throw new DamagedStore('There is no daily copy to go back to.')
  expectSound(copy)
  const part = path.join(folder, `${VAULT_FILE}.part`)
  removeWithCompanions(part)
  makePrivate(part)
  copyFileSync(copy, part)
  const aside = moveAside(folder)
  renameSync(part, path.join(folder, VAULT_FILE))
  syncFolder(folder)
  return { aside }
}

/** A copy of the vault as it was found, before a person goes on with it. */
export function keepAside(folder: string): { aside: string | null } {
  const file = path.join(folder, VAULT_FILE)
  if (!existsSync(file)) return { aside: null }
  const aside = freeName(folder)
  for (const companion of ['-wal', '']) {
    const copy = path.join(folder, `${aside}${companion}`)
    if (!existsSync(`${file}${companion}`)) continue
    makePrivate(copy)
    copyFileSync(`${file}${companion}`, copy)
  }
  syncFolder(folder)
  return { aside }
}

/** Begins without the vault there is. It is moved aside, never deleted. */
export function startAnew(folder: string): { aside: string | null } {
  const aside = moveAside(folder)
  syncFolder(folder)
  return { aside }
}

function moveAside(folder: string): string | null {
  const file = path.join(folder, VAULT_FILE)
  if (!existsSync(file)) return null
  const aside = freeName(folder)
  // The companions go first: left behind, they would be taken for parts of the next vault.db.
  for (const companion of ['-wal', '-shm', '']) {
    if (existsSync(`${file}${companion}`)) renameSync(`${file}${companion}`, path.join(folder, `${aside}${companion}`))
  }
  return aside
}

function freeName(folder: string): string {
  let n = 1
  while (existsSync(path.join(folder, `vault-damaged-${n}.db`))) n++
  return `vault-damaged-${n}.db`
}

function expectSound(file: string): void {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    quickCheck(db, path.basename(file))
  } catch (error) {
    throw isDamage(error) ? new DamagedStore(`${path.basename(file)} is damaged and cannot be read.`, { cause: error }) : error
  } finally {
    db.close()
    // Reading a file in WAL mode leaves these beside it.
    removeCompanions(file)
  }
}

function isDue(folder: string, now: number): boolean {
  const found = statSync(path.join(folder, COPY_FILE), { throwIfNoEntry: false })
  // A copy from the future was made before the clock was set back.
  return found === undefined || now - found.mtimeMs >= DAY_MS || found.mtimeMs > now + DAY_MS
}

function removeWithCompanions(file: string): void {
  rmSync(file, { force: true })
  removeCompanions(file)
}

function removeCompanions(file: string): void {
  for (const companion of ['-wal', '-shm', '-journal']) rmSync(`${file}${companion}`, { force: true })
}
