// Why the disk does not take what we write, told apart from mistakes of our own: the first is for a person to mend, the second for us.

import { statfsSync } from 'node:fs'

const FULL = 'the disk is full'
const DAMAGED = 'the file is damaged'

/** SQLite's primary result codes, as far as they are the disk's or another program's doing. */
const SQLITE: Partial<Record<number, string>> = {
  5: 'another program holds the file',
  6: 'another program holds the file',
  8: 'the disk or the file is read-only',
  10: 'the disk failed',
  11: DAMAGED,
  13: FULL,
  14: 'a file cannot be opened',
  26: DAMAGED,
}

/** No room for the file that the readers of a database share. */
const SQLITE_IOERR_SHMSIZE = 4874

const SYSTEM: Partial<Record<string, string>> = {
  ENOSPC: FULL,
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk is read-only',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EIO: 'the disk failed',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EFBIG: FULL,
  ENOENT: 'the folder or the file is gone',
}

/** Completes "it cannot be written: <reason>". Null where the disk is not to blame. */
export function diskTrouble(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  if ('errcode' in error && typeof error.errcode === 'number') {
    return error.errcode === SQLITE_IOERR_SHMSIZE ? FULL : (SQLITE[error.errcode & 0xff] ?? null)
  }
  return 'code' in error ? (SYSTEM[String(error.code)] ?? null) : null
}

/** Less, and SQLite cannot make the files it needs beside a database. */
const NO_ROOM_BYTES = 128 * 1024

/**
 * The same for a start: what is damaged is no trouble of the disk's there, and SQLite calls a file that it found no room for one
 * that cannot be opened, or that failed.
 */
export function diskTroubleIn(folder: string, error: unknown): string | null {
  const trouble = diskTrouble(error)
  if (trouble === DAMAGED) return null
  return trouble !== null && isFull(folder) ? FULL : trouble
}

function isFull(folder: string, room = NO_ROOM_BYTES): boolean {
  const { bavail, bsize, files, ffree } = statfsSync(folder)
  return bavail * bsize < room || (files > 0 && ffree === 0)
}
