// One host per folder. A lock of the kernel's, held through SQLite: it ends with the process, however that ends, so there is
// no stale lock to judge. Only hosts import this; the bridge may run on a Node without node:sqlite.

import { closeSync, constants, fchmodSync, openSync, truncateSync } from 'node:fs'
import path from 'node:path'
import { folderInTheWay, FolderRefused } from '../link/trust.ts'

export interface Lock {
  file: string
  release: () => void
}

/** Kept here: a database that nobody refers to is closed by the garbage collector, and its lock with it. */
const held = new Set<object>()

const SQLITE_BUSY = 5
const SQLITE_NOTADB = 26

/** null: another process owns this folder. */
export async function acquireLock(folder: string): Promise<Lock | null> {
  const file = path.join(folder, 'lock.db')
  // Before SQLite opens it, never after: closing any descriptor of the file would drop the lock.
  createPrivate(file)
  return tryLock(file)
}

async function tryLock(file: string, repaired = false): Promise<Lock | null> {
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(file)
  try {
    // No journal: SQLite removes one by its path, where after a move of the folder another host's may lie.
    database.exec('PRAGMA busy_timeout = 300; PRAGMA journal_mode = MEMORY')
    database.exec('BEGIN EXCLUSIVE')
    held.add(database)
    return {
      file,
      release() {
        if (held.delete(database)) database.close()
      },
    }
  } catch (error) {
    database.close()
    switch ((error as { errcode?: number }).errcode) {
      case SQLITE_BUSY:
        return null
      case SQLITE_NOTADB:
        if (repaired) throw error
        // It holds nothing, so there is nothing to lose; a lock on it is not touched by this.
        truncateSync(file, 0)
        return tryLock(file, true)
      default:
        throw error
    }
  }
}

function createPrivate(file: string): void {
  const descriptor = openOurs(file)
  try {
    if (process.platform !== 'win32') fchmodSync(descriptor, 0o600)
  } finally {
    closeSync(descriptor)
  }
}

function openOurs(file: string): number {
  const inTheWay = folderInTheWay(file)
  if (inTheWay !== null) throw new FolderRefused(inTheWay)
  try {
    return openSync(file, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o600)
  } catch (error) {
    const why = WHY[(error as NodeJS.ErrnoException).code ?? '']
    throw why === undefined ? error : new Error(`Countersign cannot write to its folder '${path.dirname(file)}': ${why}.`, { cause: error })
  }
}

/** The first file we write, so the first to say that nothing can be written. */
const WHY: Partial<Record<string, string>> = {
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
}
