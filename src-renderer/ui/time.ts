import { useEffect, useState } from 'react'

/** The wall clock, looked at again every `everyMs`. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })
const STEPS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** "2 days ago", "3 min. ago", "just now". */
export function ago(then: number, now: number): string {
  const passed = Math.max(0, now - then)
  for (const [unit, ms] of STEPS) if (passed >= ms) return relative.format(-Math.floor(passed / ms), unit)
  return 'just now'
}

/** "in 12 days", "in 3 min.", "now". */
export function ahead(then: number, now: number): string {
  const left = then - now
  for (const [unit, ms] of STEPS) if (left >= ms) return relative.format(Math.floor(left / ms), unit)
  return left > 0 ? 'in a moment' : 'now'
}

const full = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })

export function absolute(wall: number): string {
  return full.format(wall)
}

/** Minutes and seconds left, "1:42". */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })

export function dateOf(wall: number): string {
  return day.format(wall)
}
