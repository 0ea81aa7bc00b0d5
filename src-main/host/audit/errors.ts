/** Something could not be recorded or read. The message is a short phrase that completes "… was not made: <reason>". */
export class AuditError extends Error {
  override name = 'AuditError'
}

/** SQLite's primary result codes, as far as they are told apart here. */
const SQLITE = { busy: 5, locked: 6, readOnly: 8, io: 10, corrupt: 11, full: 13, cannotOpen: 14, constraint: 19, notADatabase: 26 } as const

function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return null
  return error.errcode & 0xff
}

export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === SQLITE.corrupt || code === SQLITE.notADatabase
}

/** After these the connection itself is as good as before; after anything else it is opened anew. */
export function leavesConnectionSound(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === SQLITE.full || code === SQLITE.busy || code === SQLITE.locked
}

export function auditError(error: unknown): AuditError {
  if (error instanceof AuditError) return error
  return new AuditError(sqliteReason(error) ?? systemReason(error) ?? 'the audit database failed', { cause: error })
}

/** No room for the file that the readers of a database share. */
const SQLITE_IOERR_SHMSIZE = 4874

function sqliteReason(error: unknown): string | null {
  if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_IOERR_SHMSIZE) return 'the disk is full'
  switch (sqliteCode(error)) {
    case SQLITE.full:
      return 'the disk is full'
    case SQLITE.readOnly:
      return 'the audit database is read-only'
    case SQLITE.busy:
    case SQLITE.locked:
      return 'the audit database is locked by another program'
    case SQLITE.corrupt:
    case SQLITE.notADatabase:
      return 'the audit database is damaged'
    case SQLITE.cannotOpen:
      return 'the audit database cannot be opened'
    case SQLITE.io:
      return 'the disk failed under the audit database'
    case SQLITE.constraint:
      return 'another program wrote into the audit database'
    default:
      return null
  }
}

function systemReason(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  switch (error.code) {
    case 'ENOSPC':
      return 'the disk is full'
    case 'EDQUOT':
      return 'the disk quota is used up'
    case 'EACCES':
    case 'EPERM':
      return 'the audit folder may not be written'
    case 'EROFS':
      return 'the audit folder is read-only'
    case 'ENOENT':
    case 'ENOTDIR':
      return 'the audit folder is missing'
    case 'EEXIST':
      return 'the file already exists'
    case 'EMFILE':
    case 'ENFILE':
      return 'too many files are open'
    case 'ERR_INVALID_STATE':
      return 'the audit database was closed'
    default:
      return null
  }
}
