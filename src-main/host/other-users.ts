// Connections of other users to our socket: each is cut off, and all of a minute are one entry, so that nobody fills the log.

import type { Core } from './core.ts'
import { createJoinedCounts } from './joined-counts.ts'
import type { Clock } from './ports.ts'
import { systemEntry } from './record.ts'
import { reportsMistakes } from './unattended.ts'

/** `core` is null while the vault is shut; nobody comes so far then. */
export function recordOtherUsers(core: () => Core | null, clock: Clock, reportBug: (error: unknown) => void) {
  const joined = createJoinedCounts(clock, async (entry) => core()?.journal.append(entry))
  return {
    /** Null: somebody whom we may not even see. Nobody waits for the entry, and it changes nothing for those cut off. */
    refused: (uid: number | null): void => {
      const detail = uid === null ? { why: 'no process of this user' } : { why: 'another user', uid }
      joined.count(systemEntry('connection.refused', { detail })).catch(reportsMistakes(reportBug))
    },
    close: joined.close,
  }
}
