import type { Clock } from '../ports.ts'

export interface FakeClock extends Clock {
  /** Moves both clocks and runs what falls due, in order, letting promises settle in between. */
  advance: (ms: number) => Promise<void>
  /** Moves the wall clock alone, as a person or a time server does. */
  setWall: (now: number) => void
}

/** A clock that stands until it is told to move. */
export function fakeClock(start = Date.UTC(2026, 0, 15, 12, 0)): FakeClock {
  let mono = 1000
  let offset = start - mono
  const timers = new Set<{ due: number; run: () => void }>()

  const nextDue = (until: number) => [...timers].filter(({ due }) => due <= until).toSorted((a, b) => a.due - b.due)[0]

  return {
    now: () => offset + mono,
    mono: () => mono,
    after: (ms, run) => {
      const timer = { due: mono + ms, run }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    advance: async (ms) => {
      const until = mono + ms
      for (let timer = nextDue(until); timer !== undefined; timer = nextDue(until)) {
        timers.delete(timer)
        mono = Math.max(mono, timer.due)
        timer.run()
        await new Promise(setImmediate)
      }
      mono = until
      await new Promise(setImmediate)
    },
    setWall: (now) => {
      offset = now - mono
    },
  }
}
