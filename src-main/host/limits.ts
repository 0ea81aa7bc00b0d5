// Per client: so many calls a second, so many at once. What is over the limit is answered at once and counted in the log once a
// second, so that nobody can flood it.

import type { Settings } from '../../src-shared/settings.ts'
import type { Clock } from './ports.ts'

interface Usage {
  tokens: number
  refilled: number
  inFlight: number
  refused: number
  /** Ends the second in which what is refused is counted. */
  stop: () => void
}

export type Admission = { kind: 'admitted'; done: () => void } | { kind: 'too many a second' } | { kind: 'too many at once' }

export interface Limits {
  admit: (clientId: string) => Admission
  /** Reports what is still due, at the end. */
  close: () => void
}

export function createLimits(clock: Clock, settings: () => Settings, reportRefused: (clientId: string, count: number) => void): Limits {
  const usages = new Map<string, Usage>()

  const refuse = (clientId: string, usage: Usage): void => {
    usage.refused++
    if (usage.refused > 1) return
    usage.stop = clock.after(1000, () => report(clientId, usage))
  }
  const report = (clientId: string, usage: Usage): void => {
    const count = usage.refused
    usage.refused = 0
    if (count > 0) reportRefused(clientId, count)
  }

  return {
    admit: (clientId) => {
      const { callsPerSecond, callBurst, callsInFlight } = settings()
      const now = clock.mono()
      const usage = usages.get(clientId) ?? { tokens: callBurst, refilled: now, inFlight: 0, refused: 0, stop: () => {} }
      usages.set(clientId, usage)
      usage.tokens = Math.min(callBurst, usage.tokens + ((now - usage.refilled) / 1000) * callsPerSecond)
      usage.refilled = now
      if (usage.inFlight >= callsInFlight) {
        refuse(clientId, usage)
        return { kind: 'too many at once' }
      }
      if (usage.tokens < 1) {
        refuse(clientId, usage)
        return { kind: 'too many a second' }
      }
      usage.tokens -= 1
      usage.inFlight++
      return {
        kind: 'admitted',
        done: () => {
          usage.inFlight--
        },
      }
    },
    close: () => {
      for (const [clientId, usage] of usages) {
        usage.stop()
        report(clientId, usage)
      }
    },
  }
}
