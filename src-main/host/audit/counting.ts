import type { DatabaseSync } from 'node:sqlite'
import { OUTCOMES, type AuditFacets, type AuditFilter, type FacetCount, type Histogram } from '../../../src-shared/audit.ts'
import { allShapes, FIELDS, judgeOf, seqRange } from './filtering.ts'
import { HOUR, hourOf } from './schema.ts'
import { WordReader } from './words.ts'

/** A list of values longer than this helps nobody. */
const FACET_VALUES = 500

/** How often each value occurs. A field's own choice does not narrow its own list, so that one can choose further values. */
export function facets(db: DatabaseSync, filter: AuditFilter): AuditFacets {
  const judge = judgeOf(db, filter)
  const timed = filter.from !== undefined || filter.to !== undefined ? countsIn(db, filter.from, filter.to) : null
  const tallies = FIELDS.map(() => new Map<number, number>())
  for (const { id, shape, count } of allShapes(db)) {
    const times = timed ? (timed.get(id) ?? 0) : count
    const failed = judge ? judge(shape) : []
    if (times === 0 || failed === null || failed.length > 1) continue
    for (const [index, field] of FIELDS.entries()) {
      const value = shape[index] ?? 0
      if (value === 0 || (failed.length === 1 && failed[0] !== field)) continue
      const tally = tallies[index]
      tally?.set(value, (tally.get(value) ?? 0) + times)
    }
  }
  const words = new WordReader(db)
  const [client, tool, secret, outcome, event] = tallies.map((tally) => sorted(tally, words))
  return { client: client ?? [], tool: tool ?? [], secret: secret ?? [], outcome: outcome ?? [], event: event ?? [] }
}

function sorted(tally: Map<number, number>, words: WordReader): FacetCount[] {
  return [...tally]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, FACET_VALUES)
    .map(([id, count]) => ({ value: words.word(id) ?? '', count }))
    .toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
}

function countsIn(db: DatabaseSync, from: number | undefined, to: number | undefined): Map<number, number> {
  const counts = new Map<number, number>()
  eachCount(db, from, to, (shape, _wall, count) => counts.set(shape, (counts.get(shape) ?? 0) + count))
  return counts
}

type Visit = (shape: number, wall: number, count: number) => void

/** Visits every row of this time, whole hours at once. `wall` is then the start of the hour. */
function eachCount(db: DatabaseSync, from: number | undefined, to: number | undefined, visit: Visit): void {
  const firstHour = from === undefined ? -Number.MAX_SAFE_INTEGER : Math.ceil(from / HOUR)
  const endHour = to === undefined ? Number.MAX_SAFE_INTEGER : hourOf(to)
  if (firstHour <= endHour) {
    if (from !== undefined && from % HOUR !== 0) eachRow(db, from, firstHour * HOUR, visit)
    const whole = db.prepare('SELECT hour, shape, count FROM counts WHERE hour >= ? AND hour < ?')
    whole.setReturnArrays(true)
    for (const row of whole.iterate(firstHour, endHour)) {
      // Three integer columns of a STRICT table, in an array as asked for.
      const [hour, shape, count] = row as unknown as [number, number, number]
      visit(shape, hour * HOUR, count)
    }
    if (to !== undefined && to % HOUR !== 0) eachRow(db, endHour * HOUR, to, visit)
  } else if (from !== undefined && to !== undefined && from < to) {
    eachRow(db, from, to, visit)
  }
}

function eachRow(db: DatabaseSync, from: number, to: number, visit: Visit): void {
  const range = seqRange(db, from, to)
  if (range === null) return
  const rows = db.prepare('SELECT shape, wall FROM projection WHERE seq BETWEEN ? AND ? AND wall >= ? AND wall < ?')
  rows.setReturnArrays(true)
  for (const row of rows.iterate(range.first, range.last, from, to)) {
    // Two integer columns of a STRICT table, in an array as asked for.
    const [shape, wall] = row as unknown as [number, number]
    visit(shape, wall, 1)
  }
}

const SECOND = 1_000
const MINUTE = 60_000
const DAY = 24 * HOUR
/** Lengths of a bar that people can name. */
const BARS = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 7, 14, 28, 91, 182, 364].map((n) => n * DAY),
]
/** More rows than this are counted by the hour, from the counters, even if shorter bars were asked for. */
const COUNTED_ONE_BY_ONE = 50_000

/** At most `buckets` bars of a round length that begin at round times. Bars without rows are there too, with no counts. */
export function histogram(db: DatabaseSync, filter: AuditFilter, from: number, to: number, buckets: number): Histogram {
  const start = Math.max(from, filter.from ?? -Infinity)
  const end = Math.min(to, filter.to ?? Infinity)
  const bucketMs = barLength(db, from, to, buckets)
  const bars = new Map<number, Record<string, number>>()
  for (let at = Math.floor(from / bucketMs) * bucketMs; at < to; at += bucketMs) bars.set(at, {})
  if (start < end) {
    const outcomes = outcomeOfShapes(db, filter)
    const visit: Visit = (shape, wall, count) => {
      const outcome = outcomes.get(shape)
      const bar = bars.get(Math.floor(wall / bucketMs) * bucketMs)
      if (outcome !== undefined && bar) bar[outcome] = (bar[outcome] ?? 0) + count
    }
    if (bucketMs >= HOUR) eachCount(db, start, end, visit)
    else eachRow(db, start, end, visit)
  }
  return { bucketMs, buckets: [...bars].map(([at, counts]) => ({ from: at, counts })) }
}

function barLength(db: DatabaseSync, from: number, to: number, buckets: number): number {
  const fits = (length: number) => Math.ceil(to / length) - Math.floor(from / length) <= buckets
  const length = BARS.find(fits) ?? Math.ceil((to - from) / buckets / DAY + 1) * DAY
  if (length >= HOUR) return length
  const total = db.prepare('SELECT sum(count) AS total FROM counts WHERE hour BETWEEN ? AND ?').get(hourOf(from), hourOf(to))?.['total']
  return typeof total === 'number' && total > COUNTED_ONE_BY_ONE ? HOUR : length
}

/** The shapes that pass, with their outcome ('' for none). */
function outcomeOfShapes(db: DatabaseSync, filter: AuditFilter): Map<number, string> {
  const judge = judgeOf(db, filter)
  const words = new WordReader(db)
  const passing = new Map<number, string>()
  for (const { id, shape } of allShapes(db)) {
    if (judge && judge(shape)?.length !== 0) continue
    const outcome = words.word(shape[3])
    passing.set(id, OUTCOMES.find((name) => name === outcome) ?? '')
  }
  return passing
}
