import { useEffect, useState } from 'react'
import { countdown } from '../ui/time.ts'
import css from './countdown.module.css'

/** How long until no answer is a denial, by the host's clock: `left` was true at `at` on the page's monotonic clock. */
export function Countdown({ lifetime, left, at }: { lifetime: number; left: number; at: number }) {
  const [now, setNow] = useState(() => performance.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 500)
    return () => clearInterval(timer)
  }, [])
  const remaining = Math.max(0, left - Math.max(0, now - at))
  return (
    <span className={css.countdown}>
      <progress max={lifetime} value={remaining} aria-hidden="true" />
      <span role="timer">denied in {countdown(remaining)}</span>
    </span>
  )
}
