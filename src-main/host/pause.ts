// While a person has paused us nothing is served and nothing is asked; the pause ends by itself or by hand.

import type { Clock } from './ports.ts'

export interface Pause {
  /** Null when there is none; `until` is null for one that a person has to end. */
  current: () => { until: number | null } | null
  begin: (minutes: number | null) => void
  end: () => void
  /** On the way out: no timer is left behind, and nobody is told. */
  stop: () => void
}

export function createPause(clock: Clock, changed: () => void): Pause {
  let paused: { until: number | null; stop: () => void } | null = null

  const stop = (): void => {
    paused?.stop()
    paused = null
  }
  const end = (): void => {
    stop()
    changed()
  }

  return {
    current: () => (paused === null ? null : { until: paused.until }),
    begin(minutes) {
      stop()
      paused =
        minutes === null
          ? { until: null, stop: () => {} }
          : { until: clock.now() + minutes * 60_000, stop: clock.after(minutes * 60_000, end) }
      changed()
    },
    end,
    stop,
  }
}
