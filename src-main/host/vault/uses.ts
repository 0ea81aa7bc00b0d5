// When a secret was last used. It is nice to know and never in the way: written in batches, and late rather than slow.

import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../ports.ts'
import { inTransaction } from '../store.ts'
import type { Records } from './records.ts'

const WRITE_AFTER_MS = 2000

export interface Uses {
  /** Returns the time noted. */
  note: (name: string) => number
  close: () => void
}

export function openUses(db: DatabaseSync, records: Records, clock: Clock, reportMistake: (error: unknown) => void): Uses {
  const unwritten = new Map<string, number>()
  let cancel: (() => void) | null = null

  const write = (): void => {
    cancel = null
    try {
      inTransaction(db, () => {
        for (const [name, at] of unwritten) records.noteUse(name, at)
      })
      unwritten.clear()
    } catch (error) {
      reportMistake(error)
      // A full disk or a locked file: the times stay here and go with the next batch.
    }
  }
  return {
    note: (name) => {
      const now = clock.now()
      unwritten.set(name, now)
      cancel ??= clock.after(WRITE_AFTER_MS, write)
      return now
    },
    close: () => {
      cancel?.()
      if (unwritten.size > 0) write()
    },
  }
}
