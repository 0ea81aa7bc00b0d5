// The whole log is read soon after every start and once a day, by the worker that reads it anyway. The opening looks at the end of
// the log alone; what was damaged or edited further back is an alarm now, not a surprise on the day the log is needed.

import type { Verified, VerifyReport } from '../../src-shared/audit.ts'
import type { HostStatus } from '../../src-shared/rpc.ts'
import type { Audit } from './audit/audit.ts'
import type { Journal } from './journal.ts'
import type { Clock } from './ports.ts'
import { systemEntry } from './record.ts'

export const ALARM = 'log'

/** After whoever waits for the host to start has been served. */
const AFTER_START_MS = 1000
const DAY_MS = 86_400_000

export interface LogCheck {
  verify: () => Promise<VerifyReport>
  /** What was found last; null before the first time. */
  last: () => Verified | null
  alarms: () => HostStatus['alarms']
  acknowledge: () => Promise<void>
  stop: () => void
}

interface Parts {
  audit: Pick<Audit, 'verify'>
  journal: Pick<Journal, 'append'>
  clock: Clock
  changed: () => void
  /** For work that nobody waits for. */
  note: (work: Promise<unknown>) => void
}

export function createLogCheck({ audit, journal, clock, changed, note }: Parts): LogCheck {
  let last: Verified | null = null
  let damage: string | null = null
  let seen: string | null = null

  const verify = async (): Promise<VerifyReport> => {
    const report = await audit.verify()
    last = { at: clock.now(), report }
    const found = damageIn(report)
    const isNews = found !== null && found !== damage
    damage = found
    if (isNews) await journal.append(systemEntry('audit.damaged', { detail: { reason: found } }))
    changed()
    return report
  }

  let stop = () => {}
  const later = (ms: number): void => {
    stop = clock.after(ms, () => {
      note(verify())
      later(DAY_MS)
    })
  }
  later(AFTER_START_MS)

  return {
    verify,
    last: () => last,
    alarms: () =>
      damage === null || damage === seen
        ? []
        : [{ id: ALARM, text: `The audit log is not as it was written: ${damage} What comes before still verifies.` }],
    acknowledge: async () => {
      await journal.append(systemEntry('audit.damage acknowledged', { approver: 'person', detail: { reason: damage ?? '' } }))
      seen = damage
    },
    stop: () => stop(),
  }
}

/** A break that the opening found is an alarm of its own. */
function damageIn(report: VerifyReport): string | null {
  return report.state === 'ok' || report.breaks.some(({ acknowledged }) => !acknowledged) ? null : report.reason
}
