// The whole log is read soon after every start and once a day, by the worker that reads it anyway. The opening looks at the end of
// the log alone; what was damaged or edited further back is an alarm now, not a surprise on the day the log is needed.

import type { Verified, VerifyReport } from '../../src-shared/audit.ts'
import type { HostStatus } from '../../src-shared/rpc.ts'
import type { Audit } from './audit/audit.ts'
import type { Journal } from './journal.ts'
import type { Clock } from './ports.ts'
import { systemEntry } from './record.ts'
import type { Rows } from './rows.ts'

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

/** The row that remembers it: a restart does not mend a log, so it must not end the alarm either. */
const ROW = 'log-damage'

const NO_ANCHOR = 'Its anchor is missing from the keychain, so nobody can tell whether entries are gone from its end.'

interface Damage {
  reason: string
  acknowledged: boolean
}

interface Parts {
  audit: Pick<Audit, 'verify' | 'anchorMissing'>
  rows: Pick<Rows, 'get' | 'put' | 'remove'>
  journal: Pick<Journal, 'append'>
  clock: Clock
  changed: () => void
  /** For work that nobody waits for. */
  unattended: (work: Promise<unknown>) => void
  reportMistake: (error: unknown) => void
}

export function createLogCheck({ audit, rows, journal, clock, changed, unattended, reportMistake }: Parts): LogCheck {
  let last: Verified | null = null
  // Rows are ours by their MAC, so its shape is the one written here.
  let damage = rows.get('setting', ROW) as Readonly<Damage> | null

  const remember = (next: Damage | null): void => {
    damage = next
    try {
      if (next !== null) rows.put('setting', ROW, next)
      else rows.remove('setting', ROW)
    } catch (error) {
      reportMistake(error)
      // The disk takes nothing now. It is remembered until the host ends, and found anew after that.
    }
  }

  if (audit.anchorMissing) {
    const before = damage === null || damage.acknowledged ? '' : damage.reason
    if (!before.includes(NO_ANCHOR)) remember({ reason: `${before} ${NO_ANCHOR}`.trim(), acknowledged: false })
    unattended(journal.append(systemEntry('audit.damaged', { detail: { reason: NO_ANCHOR } })))
  }

  const verify = async (): Promise<VerifyReport> => {
    const report = await audit.verify()
    last = { at: clock.now(), report }
    const reason = damageIn(report)
    const isNews = reason !== null && reason !== damage?.reason
    if (isNews) remember({ reason, acknowledged: false })
    // What a person has not seen stays, even where nothing of it is to be found any more.
    else if (reason === null && damage?.acknowledged) remember(null)
    changed()
    if (isNews) await journal.append(systemEntry('audit.damaged', { detail: { reason } }))
    return report
  }

  let stop = () => {}
  const later = (ms: number): void => {
    stop = clock.after(ms, () => {
      unattended(verify())
      later(DAY_MS)
    })
  }
  later(AFTER_START_MS)

  return {
    verify,
    last: () => last,
    alarms: () =>
      damage === null || damage.acknowledged
        ? []
        : [{ id: ALARM, text: `The audit log is not as it was written: ${damage.reason} What comes before still verifies.` }],
    acknowledge: async () => {
      if (damage === null || damage.acknowledged) return
      const { reason } = damage
      await journal.append(systemEntry('audit.damage acknowledged', { approver: 'person', detail: { reason } }))
      // Something else may have been found meanwhile, which nobody has seen.
      if (damage.reason === reason) remember({ reason, acknowledged: true })
    },
    stop: () => stop(),
  }
}

/** A break that the opening found is an alarm of its own. */
function damageIn(report: VerifyReport): string | null {
  return report.state === 'ok' || report.breaks.some(({ acknowledged }) => !acknowledged) ? null : report.reason
}
