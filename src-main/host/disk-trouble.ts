// Why the disk does not take what we write, told apart from mistakes of our own: the first is for a person to mend, the second for us.

/** SQLite's primary result codes, as far as they are the disk's or another program's doing. */
const SQLITE: Partial<Record<number, string>> = {
  5: 'another program holds the file',
  6: 'another program holds the file',
  8: 'the disk or the file is read-only',
  10: 'the disk failed',
  11: 'the file is damaged',
  13: 'the disk is full',
  14: 'a file cannot be opened',
  26: 'the file is damaged',
}

/** No room for the file that the readers of a database share. */
const SQLITE_IOERR_SHMSIZE = 4874

const SYSTEM: Partial<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk is read-only',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EIO: 'the disk failed',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EFBIG: 'the disk is full',
  ENOENT: 'the folder or the file is gone',
}

/** Completes "it cannot be written: <reason>". Null where the disk is not to blame. */
export function diskTrouble(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  if ('errcode' in error && typeof error.errcode === 'number') {
    return error.errcode === SQLITE_IOERR_SHMSIZE ? 'the disk is full' : (SQLITE[error.errcode & 0xff] ?? null)
  }
  return 'code' in error ? (SYSTEM[String(error.code)] ?? null) : null
}
