import type { Clock } from './ports.ts'

/** Runs it again and again, each time after this long; returns a function that stops it. */
export function every(clock: Clock, ms: number, run: () => void): () => void {
  let stop = () => {}
  const again = () => {
    stop = clock.after(ms, () => {
      run()
      again()
    })
  }
  again()
  return () => stop()
}
