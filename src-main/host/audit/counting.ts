import type { DatabaseSync } from 'node:sqlite'
import { OUTCOMES, type AuditFacets, type AuditFilter, type FacetCount, type Histogram } from '../../../src-shared/audit.ts'
import type { Bound } from './bounded.ts'
import { FIELDS, hiddenShapes, judgeOf, matchingShapes, seqRange } from './filtering.ts'
import { hourCounts } from './hour-counts.ts'
import type { Log } from './lexicon.ts'
import { HOUR, hourOf } from './schema.ts'
import type { WordReader } from './words.ts'

/** A list of values longer than this helps nobody. */
const FACET_VALUES = 500

/** How often each value occurs. A field's own choice does not narrow its own list, so that one can choose further values. */
export function facets(log: Log, filter: AuditFilter): AuditFacets {
  const judge = judgeOf(log, filter)
  const tallies = FIELDS.map(() => new Map<number, number>())
  for (const [id, times] of countsIn(log, filter.from, filter.to)) {
    const shape = log.lexicon.shape(id)
    const failed = judge ? judge(shape) : []
    if (failed === null || failed.length > 1) continue
    for (const [index, field] of FIELDS.entries()) {
      const value = shape[index] ?? 0
      if (value === 0 || (failed.length === 1 && failed[0] !== field)) continue
      const tally = tallies[index]
      tally?.set(value, (tally.get(value) ?? 0) + times)
    }
  }
  const [client, tool, secret, outcome, event] = tallies.map((tally) => sorted(tally, log.lexicon.words))
  return { client: client ?? [], tool: tool ?? [], secret: secret ?? [], outcome: outcome ?? [], event: event ?? [] }
}

function sorted(tally: Map<number, number>, words: WordReader): FacetCount[] {
  return [...tally]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, FACET_VALUES)
    .map(([id, count]) => ({ value: words.word(id) ?? '', count }))
    .toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
}

/** Counts by shape. */
function countsIn(log: Log, from: number | undefined, to: number | undefined): Map<number, number> {
  // Shapes are numbered without big gaps, and an array is many times quicker here than a map.
  const counts: number[] = []
  eachCount(log.db, from, to, (_wall, pairs) => {
    for (let at = 0; at < pairs.length; at += 2) counts[pairs[at] ?? 0] = (counts[pairs[at] ?? 0] ?? 0) + (pairs[at + 1] ?? 0)
  })
  const found = new Map<number, number>()
  // Unlike entries(), this passes over the holes.
  counts.forEach((count, shape) => found.set(shape, count))
  return found
}

/** How many rows pass. */
export function rowsIn(log: Log, filter: AuditFilter): number {
  return rowsWith(log, matchingShapes(log, filter), filter)
}

/** How many rows are out of sight of whoever is bound. */
export function hiddenRows(log: Log, filter: AuditFilter, bound: Bound): number {
  return rowsWith(log, hiddenShapes(log, filter, bound), filter)
}

function rowsWith({ db }: Log, shapes: ReadonlySet<number> | null, filter: AuditFilter): number {
  const passes = membership(shapes)
  let rows = 0
  eachCount(db, filter.from, filter.to, (_wall, pairs) => {
    rows += countPassing(pairs, passes)
  })
  return rows
}

/** How many rows of an hour have one of these shapes; null for any. Hours are best asked for from the newest back. */
export function matchesByHour({ db }: Log, shapes: ReadonlySet<number> | null): (hour: number) => number {
  const passes = membership(shapes)
  const counts = hourCounts(db, 0, LAST_HOUR, 'DESC')
  const matches = new Map<number, number>()
  let reached = Infinity
  return (hour) => {
    // What was read on the way is kept: hours come out of order where the clock was set back.
    while (reached >= hour) {
      const { done, value } = counts.next()
      reached = done === true ? -Infinity : value.hour
      if (done !== true) matches.set(reached, (matches.get(reached) ?? 0) + countPassing(value.pairs, passes))
    }
    return matches.get(hour) ?? 0
  }
}

function countPassing(pairs: Uint32Array, passes: Uint8Array | null): number {
  let rows = 0
  for (let at = 0; at < pairs.length; at += 2) if (passes === null || passes[pairs[at] ?? 0] === 1) rows += pairs[at + 1] ?? 0
  return rows
}

/** Asked a million times, and an array answers many times quicker than a set. */
function membership(shapes: ReadonlySet<number> | null): Uint8Array | null {
  if (shapes === null) return null
  let last = -1
  for (const id of shapes) last = Math.max(last, id)
  const passes = new Uint8Array(last + 1)
  for (const id of shapes) passes[id] = 1
  return passes
}

/** Shape and count, shape and count, …, of rows at this time. */
type Visit = (wall: number, pairs: Uint32Array) => void

/** Later than any clock, and its slots are still safe integers. */
const LAST_HOUR = 100_000_000

/** Visits every row of this time, whole hours at once. `wall` is then the start of the hour. */
export function eachCount(db: DatabaseSync, from: number | undefined, to: number | undefined, visit: Visit): void {
  const firstHour = from === undefined ? 0 : Math.ceil(from / HOUR)
  const endHour = to === undefined ? LAST_HOUR : hourOf(to)
  if (firstHour <= endHour) {
    if (from !== undefined && from % HOUR !== 0) eachRow(db, from, firstHour * HOUR, visit)
    eachHour(db, firstHour, endHour, visit)
    if (to !== undefined && to % HOUR !== 0) eachRow(db, endHour * HOUR, to, visit)
  } else if (from !== undefined && to !== undefined && from < to) {
    eachRow(db, from, to, visit)
  }
}

function eachHour(db: DatabaseSync, firstHour: number, endHour: number, visit: Visit): void {
  for (const { hour, pairs } of hourCounts(db, firstHour, endHour, 'ASC')) visit(hour * HOUR, pairs)
}

function eachRow(db: DatabaseSync, from: number, to: number, visit: Visit): void {
  const range = seqRange(db, from, to)
  if (range === null) return
  const rows = db.prepare('SELECT wall, shape FROM projection WHERE seq BETWEEN ? AND ? AND wall >= ? AND wall < ?')
  rows.setReturnArrays(true)
  for (const row of rows.iterate(range.first, range.last, from, to)) {
    // Two integer columns of a STRICT table, in an array as asked for.
    const [wall, shape] = row as unknown as [number, number]
    visit(wall, Uint32Array.of(shape, 1))
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
export function histogram(log: Log, filter: AuditFilter, from: number, to: number, buckets: number): Histogram {
  const start = Math.max(from, filter.from ?? -Infinity)
  const end = Math.min(to, filter.to ?? Infinity)
  const bucketMs = barLength(log.db, from, to, buckets)
  const firstBar = Math.floor(from / bucketMs)
  const bars = Array.from({ length: Math.max(0, Math.ceil(to / bucketMs) - firstBar) }, () => new Float64Array(KINDS.length))
  if (start < end) {
    const kinds = kindOfShapes(log, filter)
    const visit: Visit = (wall, pairs) => {
      const bar = bars[Math.floor(wall / bucketMs) - firstBar]
      if (bar === undefined) return
      for (let at = 0; at < pairs.length; at += 2) {
        const kind = kinds[pairs[at] ?? 0]
        if (kind !== undefined) bar[kind] = (bar[kind] ?? 0) + (pairs[at + 1] ?? 0)
      }
    }
    if (bucketMs >= HOUR) eachCount(log.db, start, end, visit)
    else eachRow(log.db, start, end, visit)
  }
  const named = (bar: Float64Array) =>
    Object.fromEntries(KINDS.map((kind, at) => [kind, bar[at] ?? 0] as const).filter(([, count]) => count > 0))
  return { bucketMs, buckets: bars.map((bar, at) => ({ from: (firstBar + at) * bucketMs, counts: named(bar) })) }
}

function barLength(db: DatabaseSync, from: number, to: number, buckets: number): number {
  const fits = (length: number) => Math.ceil(to / length) - Math.floor(from / length) <= buckets
  const length = BARS.find(fits) ?? Math.ceil((to - from) / buckets / DAY + 1) * DAY
  if (length >= HOUR) return length
  const range = seqRange(db, from, to)
  return range !== null && range.last - range.first > COUNTED_ONE_BY_ONE ? HOUR : length
}

/** What is counted apart: every outcome, and '' for rows without one. */
const KINDS = ['', ...OUTCOMES]

/** By shape the place of its outcome in KINDS, for those that pass. */
function kindOfShapes(log: Log, filter: AuditFilter): (number | undefined)[] {
  const matching = matchingShapes(log, filter)
  const kinds: (number | undefined)[] = []
  for (const [id, shape] of log.lexicon.shapes()) {
    if (matching && !matching.has(id)) continue
    const outcome = log.lexicon.words.word(shape[3])
    kinds[id] = Math.max(0, KINDS.indexOf(outcome ?? ''))
  }
  return kinds
}
