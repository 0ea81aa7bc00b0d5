// A copy of vault.db from yesterday at the latest. It holds what vault.db holds: no value that is not sealed.

import { statSync } from 'node:fs'
import { copyFile, rename, rm } from 'node:fs/promises'
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
  stop: () => Promise<void>
}

export interface DailyCopyParts {
  db: DatabaseSync
  folder: string
  clock: Clock
  onFailed?: (error: unknown) => void
}

/** Looks every hour, because a laptop that sleeps does not count its days. */
export function keepDailyCopy({ db, folder, clock, onFailed = () => {} }: DailyCopyParts): DailyCopy {
  let stopped = false
  let cancel = () => {}
  let last: Promise<void> = Promise.resolve()

  const look = (): void => {
    last = (async () => {
      if (isDue(folder, clock.now())) await copyNow(db, folder)
    })()
    last.catch(onFailed)
    if (!stopped) cancel = clock.after(LOOK_EVERY_MS, look)
  }
  look()
  return {
    first: last,
    stop: async () => {
      stopped = true
      cancel()
      await last.catch(() => {})
    },
  }
}

export async function copyNow(db: DatabaseSync, folder: string): Promise<void> {
  const part = path.join(folder, `${COPY_FILE}.part`)
  await removeWithCompanions(part)
  makePrivate(part)
  await backup(db, part)
  // A damaged copy must not take the place of a good one.
  await expectSound(part)
  await rename(part, path.join(folder, COPY_FILE))
  await syncFolder(folder)
}

/** Puts the daily copy in the place of a vault that cannot be trusted. That one is moved aside, never deleted. */
export async function restoreDailyCopy(folder: string, now: number): Promise<{ aside: string | null }> {
  const copy = path.join(folder, COPY_FILE)
  if (statSync(copy, { throwIfNoEntry: false }) === undefined) throw new DamagedStore('There is no daily copy to go back to.')
  await expectSound(copy)
  const part = path.join(folder, `${VAULT_FILE}.part`)
  await removeWithCompanions(part)
  makePrivate(part)
  await copyFile(copy, part)
  const aside = await moveAside(folder, now)
  await rename(part, path.join(folder, VAULT_FILE))
  await syncFolder(folder)
  return { aside }
}

/** Begins without the vault there is. It is moved aside, never deleted. */
export async function startAnew(folder: string, now: number): Promise<{ aside: string | null }> {
  const aside = await moveAside(folder, now)
  await syncFolder(folder)
  return { aside }
}

async function moveAside(folder: string, now: number): Promise<string | null> {
  const file = path.join(folder, VAULT_FILE)
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return null
  const stamp = new Date(now).toISOString().replaceAll(/[:.]/g, '-')
  let aside = `vault-damaged-${stamp}.db`
  for (let n = 2; statSync(path.join(folder, aside), { throwIfNoEntry: false }) !== undefined; n++) aside = `vault-damaged-${stamp}-${n}.db`
  // The companions go first: left behind, they would be taken for parts of the next vault.db.
  for (const companion of ['-wal', '-shm']) {
    const from = `${file}${companion}`
    if (statSync(from, { throwIfNoEntry: false }) !== undefined) await rename(from, path.join(folder, `${aside}${companion}`))
  }
  await rename(file, path.join(folder, aside))
  return aside
}

async function expectSound(file: string): Promise<void> {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    quickCheck(db, path.basename(file))
  } catch (error) {
    throw isDamage(error) ? new DamagedStore(`${path.basename(file)} is damaged and cannot be read.`, { cause: error }) : error
  } finally {
    db.close()
    // Reading a file in WAL mode leaves these beside it.
    await removeCompanions(file)
  }
}

function isDue(folder: string, now: number): boolean {
  const found = statSync(path.join(folder, COPY_FILE), { throwIfNoEntry: false })
  // A copy from the future was made before the clock was set back.
  return found === undefined || now - found.mtimeMs >= DAY_MS || found.mtimeMs > now + DAY_MS
}

async function removeWithCompanions(file: string): Promise<void> {
  await rm(file, { force: true })
  await removeCompanions(file)
}

async function removeCompanions(file: string): Promise<void> {
  for (const companion of ['-wal', '-shm', '-journal']) await rm(`${file}${companion}`, { force: true })
}
