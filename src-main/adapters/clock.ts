import { performance } from 'node:perf_hooks'
import type { Clock } from '../host/ports.ts'

// setTimeout fires at once when asked for more than this.
const LONGEST_TIMER = 2 ** 31 - 1

/** The clock of the machine. A pending `after` does not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  mono: () => performance.now(),
  after: (ms, run) => {
    const due = performance.now() + ms
    let timer: NodeJS.Timeout
    // A timer may also fire a little early; due is due.
    const check = () => {
      const left = due - performance.now()
      if (left > 0) arm(left)
      else run()
    }
    const arm = (left: number) => {
      timer = setTimeout(check, Math.min(Math.ceil(left), LONGEST_TIMER))
      timer.unref()
    }
    arm(ms)
    return () => clearTimeout(timer)
  },
}
