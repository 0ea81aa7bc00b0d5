// Written before done. Every change goes intent → effect → outcome, each on disk before the next; failing closed follows from
// the order of lines here, not from a rule that callers must remember.

import type { Entry } from '../../src-shared/audit.ts'
import { AuditError, type Audit } from './audit/audit.ts'
import { reportsMistakes } from './unattended.ts'

/** How an effect went, as far as the log is concerned, and what its caller wants back. */
export interface Done<T> {
  outcome: NonNullable<Entry['outcome']>
  detail?: Entry['detail']
  result: T
}

/** The effect happened, but the log would not take its outcome. The intent on disk lets the next start find out. */
export class OutcomeUnrecorded extends Error {
  override name = 'OutcomeUnrecorded'
}

export type Journal = ReturnType<typeof createJournal>

export function createJournal(audit: Audit, faultPoint: (name: string) => void, reportBug: (error: unknown) => void) {
  const reportMistake = reportsMistakes(reportBug)

  // What could not be recorded when it was due, outcomes of effects above all: written before anything else is.
  const owed: (() => Promise<unknown>)[] = []
  let settling: Promise<void> | null = null

  const settle = async (): Promise<void> => {
    while (owed[0] !== undefined) {
      await owed[0]()
      owed.shift()
    }
  }

  const append = async (entry: Entry): Promise<number> => {
    if (owed.length > 0) {
      settling ??= settle().finally(() => (settling = null))
      await settling
    }
    try {
      return await audit.append(entry)
    } catch (error) {
      // Whoever waits is told that it cannot be recorded, which is all that the world needs to know of a mistake of ours.
      reportMistake(error)
      throw error
    }
  }

  return {
    /** One entry, on disk when this resolves. */
    append,

    /** Does what has to be recorded; a log that takes nothing now gets it before the next entry. */
    async orOwe(work: () => Promise<unknown>): Promise<void> {
      try {
        await work()
      } catch (error) {
        if (!(error instanceof AuditError)) throw error
        owed.push(work)
      }
    },

    async change<T>(intent: Entry, effect: () => Promise<Done<T>>): Promise<T> {
      await append({ ...intent, kind: 'intent' })
      faultPoint('intent')
      const done = await effect().catch((error: unknown): Done<never> & { error: unknown } => ({
        outcome: 'failed',
        detail: { reason: error instanceof Error ? error.name : 'error' },
        result: undefined as never,
        error,
      }))
      faultPoint('effect')
      const outcome: Entry = { ...intent, kind: 'outcome', outcome: done.outcome, detail: { ...intent.detail, ...done.detail } }
      try {
        await append(outcome)
      } catch (error) {
        if (!(error instanceof AuditError)) throw error
        owed.push(() => audit.append(outcome))
        if (done.outcome === 'allowed') throw new OutcomeUnrecorded(error.message)
      }
      faultPoint('outcome')
      // Whoever truncates the log must not be able to take the record of a write with it.
      audit.anchorSoon()
      if ('error' in done) throw done.error
      return done.result
    },
  }
}
