// Wrong PINs, passphrases and codes: on record, counted over restarts, and an alarm when there were many.

import type { HostStatus } from '../../src-shared/rpc.ts'
import type { Journal } from './journal.ts'
import { systemEntry } from './record.ts'
import type { Rows } from './rows.ts'

export const LOGIN_ALARM = 'login'
const ROW = 'login tries'
const MANY = 10

interface Kept {
  /** Since the last right one: how long the next has to wait. */
  inARow: number
  /** Since a person acknowledged them. */
  unseen: number
}

export type LoginTries = ReturnType<typeof openLoginTries>

export function openLoginTries(rows: Rows, journal: Pick<Journal, 'append'>, changed: () => void) {
  // The MAC says that we wrote it, so its shape is ours.
  let kept = (rows.get('setting', ROW) as Kept | null) ?? { inARow: 0, unseen: 0 }
  const keep = (next: Kept): void => {
    kept = next
    // Another program changed the row: what is refused stays for the person to see.
    const isRefused = rows.refused.some(({ kind, id }) => kind === 'setting' && id === ROW)
    if (!isRefused) rows.put('setting', ROW, next)
  }

  return {
    inARow: (): number => kept.inARow,

    async wrong(what: string, count = 1): Promise<void> {
      keep({ inARow: kept.inARow + count, unseen: kept.unseen + count })
      if (kept.unseen >= MANY) changed()
      await journal.append(systemEntry('login.refused', { detail: { what, count, inARow: kept.inARow } }))
    },

    right(): void {
      if (kept.inARow > 0) keep({ ...kept, inARow: 0 })
    },

    alarms: (): HostStatus['alarms'] =>
      kept.unseen < MANY
        ? []
        : [
            {
              id: LOGIN_ALARM,
              text: `${kept.unseen} wrong tries to log in to the page. If they were not yours, a program on this computer is guessing: choose a longer PIN.`,
            },
          ],

    async acknowledge(): Promise<void> {
      await journal.append(systemEntry('login.acknowledged', { approver: 'person', detail: { count: kept.unseen } }))
      keep({ ...kept, unseen: 0 })
    },
  }
}
