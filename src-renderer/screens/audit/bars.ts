// From counts to what is drawn: bars over time, stacked by what became of the calls.

import type { Histogram } from '../../../src-shared/audit.ts'
import type { Tone } from '../../ui/badge.tsx'
import { toneOf } from '../../ui/outcome.tsx'

/** From the ground up. */
const TONES: readonly Tone[] = ['good', 'quiet', 'warn', 'bad']
/** Three denials among three thousand calls are still seen. */
const LEAST = 2

export interface Bar {
  from: number
  to: number
  total: number
  /** Pixels, from the top of the drawing. */
  parts: { tone: Tone; y: number; height: number }[]
}

export function barsOf({ bucketMs, buckets }: Histogram, height: number): Bar[] {
  const sums = buckets.map(({ from, counts }) => {
    const tones: Record<Tone, number> = { good: 0, quiet: 0, warn: 0, bad: 0 }
    for (const [outcome, count] of Object.entries(counts)) tones[toneOf(outcome)] += count
    return { from, tones, total: tones.good + tones.quiet + tones.warn + tones.bad }
  })
  const most = Math.max(1, ...sums.map(({ total }) => total))
  return sums.map(({ from, tones, total }) => ({ from, to: from + bucketMs, total, parts: stack(tones, height / most, height) }))
}

function stack(tones: Record<Tone, number>, scale: number, height: number): Bar['parts'] {
  const parts = TONES.filter((tone) => tones[tone] > 0).map((tone) => ({ tone, height: Math.max(LEAST, tones[tone] * scale) }))
  // What the small ones were given, the tallest gives.
  const over = parts.reduce((sum, part) => sum + part.height, 0) - height
  const tallest = parts.toSorted((a, b) => b.height - a.height)[0]
  if (over > 0 && tallest !== undefined) tallest.height -= over
  let y = height
  return parts.map((part) => {
    y -= part.height
    return { ...part, y }
  })
}

const counts = new Intl.NumberFormat('en')

/** "10:00 – 11:00: 12 allowed, 3 denied", for whoever does not see it. */
export function barText({ from, counts: found }: Histogram['buckets'][number], bucketMs: number): string {
  const list = Object.entries(found).toSorted(([, a], [, b]) => b - a)
  const what = list.map(([outcome, count]) => `${counts.format(count)} ${outcome === '' ? 'other' : outcome}`).join(', ')
  return `${spanText(from, from + bucketMs)}: ${what === '' ? 'nothing' : what}`
}

const moment = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const second = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})
const DAY = 86_400_000

function spanText(from: number, to: number): string {
  return (to - from < 60_000 ? second : moment).formatRange(from, to)
}

export interface Tick {
  at: number
  label: string
}

const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' })
const year = new Intl.DateTimeFormat('en', { month: 'short', year: 'numeric' })
const ticking = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' })
const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

/** At most `most` labels, where what they say begins. */
export function ticksOf(bars: readonly Bar[], most: number): Tick[] {
  const span = (bars.at(-1)?.to ?? 0) - (bars[0]?.from ?? 0)
  const format = span > 300 * DAY ? year : span > 2 * DAY ? day : span > 20 * 3_600_000 ? moment : span < 5 * 60_000 ? ticking : clock
  const labels = bars.map(({ from }) => format.format(from))
  const ticks = labels.map((label, at) => ({ at, label })).filter(({ at, label }) => label !== labels[at - 1])
  const every = Math.max(1, Math.ceil(ticks.length / Math.max(1, most)))
  return ticks.filter((_, index) => index % every === 0)
}
