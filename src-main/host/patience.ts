// A person's patience, per client: how often it may ask, when it must pause, and which denials it need not ask about again.

import type { Clock } from './ports.ts'
import { REPEAT_MS } from './grants.ts'

const MAX_OPEN = 3
const MAX_NEW_PER_MINUTE = 5
const EXPIRED_IN_A_ROW = 2
const PAUSE_MS = 5 * 60_000

interface Record {
  opened: number[]
  expiredInARow: number
  coolingUntilMono: number
  coolingUntilWall: number
}

export function createPatience(clock: Clock) {
  const records = new Map<string, Record>()
  const denials = new Map<string, number>()
  const of = (clientId: string): Record => {
    const record = records.get(clientId) ?? { opened: [], expiredInARow: 0, coolingUntilMono: 0, coolingUntilWall: 0 }
    records.set(clientId, record)
    return record
  }

  return {
    /** Counts the new prompt when it may be opened. */
    mayOpen: (clientId: string, open: number): boolean => {
      const record = of(clientId)
      record.opened = record.opened.filter((mono) => mono > clock.mono() - 60_000)
      if (open >= MAX_OPEN || record.opened.length >= MAX_NEW_PER_MINUTE) return false
      record.opened.push(clock.mono())
      return true
    },
    coolingUntil: (clientId: string): number | null => {
      const record = records.get(clientId)
      return record !== undefined && record.coolingUntilMono > clock.mono() ? record.coolingUntilWall : null
    },
    expired: (clientId: string): void => {
      const record = of(clientId)
      record.expiredInARow++
      if (record.expiredInARow < EXPIRED_IN_A_ROW) return
      record.expiredInARow = 0
      record.coolingUntilMono = clock.mono() + PAUSE_MS
      record.coolingUntilWall = clock.now() + PAUSE_MS
    },
    /** Somebody is there again, or resumed the client by hand. */
    answered: (clientId: string): void => {
      const record = of(clientId)
      record.expiredInARow = 0
      record.coolingUntilMono = 0
    },
    /** A denial given after the call had left answers its repeat, so that nobody is asked the same thing twice. */
    rememberDenial: (digest: string): void => {
      for (const [key, until] of denials) if (until <= clock.mono()) denials.delete(key)
      denials.set(digest, clock.mono() + REPEAT_MS)
    },
    takeDenial: (digest: string): boolean => {
      const until = denials.get(digest)
      denials.delete(digest)
      return until !== undefined && until > clock.mono()
    },
  }
}
