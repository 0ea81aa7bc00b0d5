// For work that nobody waits for. What the disk or the keychain refuses is known already to whoever needs to know; a mistake of our
// own has nobody else to tell of it.

import { AuditError } from './audit/errors.ts'
import { diskTrouble } from './disk-trouble.ts'
import { KeychainError } from './ports.ts'
import { DamagedStore } from './store.ts'

/** A statement that SQLite cannot carry out, whatever the disk does. */
const SQLITE_ERROR = 1

/** Null where the world around us is to blame. */
function mistakeIn(error: unknown): unknown {
  if (error instanceof KeychainError || error instanceof DamagedStore || diskTrouble(error) !== null) return null
  if (!(error instanceof AuditError)) return error
  const { cause } = error
  // What comes from Node, SQLite or the worker has a code; what we threw by mistake has none.
  if (!(cause instanceof Error) || cause instanceof AuditError) return null
  const isOfTheSystem = 'errcode' in cause ? cause.errcode !== SQLITE_ERROR : 'code' in cause
  return isOfTheSystem ? null : cause
}

/** For `catch`: a mistake of ours is reported, anything else is no news. */
export function reportsMistakes(reportBug: (error: unknown) => void): (error: unknown) => void {
  return (error) => {
    const mistake = mistakeIn(error)
    if (mistake !== null) reportBug(mistake)
  }
}
