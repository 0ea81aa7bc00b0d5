// What an approval is called, how its times read, and what its end is to those who wait.

import { randomBytes } from 'node:crypto'
import type { ApprovalEnd } from '../../src-shared/approval.ts'
import { texts } from '../../src-shared/texts.ts'
import type { Answer } from './approvals.ts'

/** Short enough for a person to read out; unambiguous letters only. */
export function freshId(taken: ReadonlyMap<string, unknown>): string {
  const letters = 'ABCDEFGHJKMNPQRSTVWXYZ23456789'
  for (;;) {
    const id = Array.from(randomBytes(5), (byte) => letters[byte % letters.length]).join('')
    if (!taken.has(id)) return id
  }
}

export function hourMinute(wall: number): string {
  const date = new Date(wall)
  return `${String(date.getHours()).padStart(2, '0')}:${String(date.getMinutes()).padStart(2, '0')}`
}

export function refusal(end: Exclude<ApprovalEnd, 'allowed'>, approvalId: string | null): Answer {
  switch (end) {
    case 'denied':
    case 'quit':
    case 'withdrawn':
      return { kind: 'refused', outcome: 'denied', text: texts.denied, approvalId }
    case 'expired':
      return { kind: 'refused', outcome: 'expired', text: texts.expired, approvalId }
    case 'overtaken':
      return { kind: 'again' }
  }
}
