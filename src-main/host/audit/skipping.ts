import type { DatabaseSync } from 'node:sqlite'
import type { AuditFilter, AuditTotals } from '../../../src-shared/audit.ts'
import type { Bound } from './bounded.ts'
import { matchesByHour, rowsIn } from './counting.ts'
import { inTime, type SeqRange } from './filtering.ts'
import type { Log } from './lexicon.ts'
import { HOUR, hourOf } from './schema.ts'

/** How much there is, and of which time: what a list needs to know before it shows a part of it. */
export function totals(log: Log, filter: AuditFilter): AuditTotals {
  const { db } = log
  // Each by itself is a look at one end of the table; both in one question would be a walk through all of it.
  const first = db.prepare('SELECT min(seq) AS seq FROM ledger').get()?.['seq']
  const head = db.prepare('SELECT max(seq) AS seq FROM ledger').get()?.['seq']
  return {
    rows: rowsIn(log, filter),
    head: Number(head ?? 0),
    // Numbers have no gaps, and counting a million rows one by one takes longer than everything else here.
    entries: typeof first === 'number' && typeof head === 'number' ? head - first + 1 : 0,
    oldest: oldestIn(log),
  }
}

/** To the moment for the first row; to the hour where the clock was set back to before it. */
function oldestIn({ db }: Log): number | null {
  const wall = db.prepare('SELECT wall FROM projection ORDER BY seq LIMIT 1').get()?.['wall']
  const hour = db.prepare('SELECT min(hour) AS hour FROM hours').get()?.['hour']
  if (typeof wall !== 'number' || typeof hour !== 'number') return null
  return hourOf(wall) <= hour ? wall : hour * HOUR
}

/** Hours are few at first, because most often the place is near; then more at once. */
const FIRST_CHUNK = 32

/** Hours whose rows lie between these seqs; no row of another hour does. Hours overlap where the clock was set back. */
interface Stretch extends SeqRange {
  hours: number[]
}

/**
 * Among the rows that pass, newest first from `last` down: the seq up to which to read on after `skip` of them. Null if there
 * are not so many. Whole hours are passed over by their counters, so that any place in the log is near.
 */
export function skipRows(
  log: Log,
  filter: AuditFilter,
  shapes: ReadonlySet<number> | null,
  { first, last }: SeqRange,
  skip: number,
  bound: Bound | null,
): number | null {
  if (skip === 0) return last
  const matches = recentMatches(log, filter, bound, shapes)
  const newestFirst = log.db.prepare('SELECT seq, wall, shape FROM projection WHERE seq BETWEEN ? AND ? ORDER BY seq DESC')
  newestFirst.setReturnArrays(true)
  let left = skip
  for (const stretch of stretches(log, first)) {
    if (stretch.first > last) continue
    const count = isWhole(stretch, last, filter) ? stretch.hours.reduce((sum, hour) => sum + matches(hour), 0) : Infinity
    if (count <= left) {
      left -= count
      continue
    }
    for (const row of newestFirst.iterate(Math.max(stretch.first, first), Math.min(stretch.last, last))) {
      // Three integer columns of a STRICT table, in an array as asked for.
      const [seq, wall, shape] = row as unknown as [number, number, number]
      if ((shapes !== null && !shapes.has(shape)) || !inTime(wall, filter.from, filter.to)) continue
      if (left === 0) return seq
      left -= 1
    }
  }
  return null
}

/** Whoever pulls at a scroll bar asks for one place after another of the same: what was counted is kept until the log changes. */
const recent = new WeakMap<DatabaseSync, { state: string; matches: (hour: number) => number }>()

function recentMatches(log: Log, filter: AuditFilter, bound: Bound | null, shapes: ReadonlySet<number> | null): (hour: number) => number {
  const version = log.db.prepare('PRAGMA data_version').get()?.['data_version']
  const state = JSON.stringify([version, bound, { ...filter, from: null, to: null }])
  const known = recent.get(log.db)
  if (known?.state === state) return known.matches
  const matches = matchesByHour(log, shapes)
  recent.set(log.db, { state, matches })
  return matches
}

/** Whether every row of these hours is asked for, as far as place and time go. */
function isWhole({ last, hours }: Stretch, upTo: number, { from = -Infinity, to = Infinity }: AuditFilter): boolean {
  return last <= upTo && hours.every((hour) => hour * HOUR >= from && (hour + 1) * HOUR <= to)
}

function* stretches({ db }: Log, first: number): Generator<Stretch> {
  const hours = db.prepare('SELECT hour, first, last FROM hours WHERE last BETWEEN ? AND ? ORDER BY last DESC LIMIT ?')
  hours.setReturnArrays(true)
  let stretch: Stretch | null = null
  let below = Number.MAX_SAFE_INTEGER
  for (let size = FIRST_CHUNK; ; size *= 2) {
    // Three integer columns of a STRICT table, in arrays as asked for.
    const chunk = hours.all(first, below, size) as unknown as [number, number, number][]
    for (const [hour, from, to] of chunk) {
      if (stretch !== null && to < stretch.first) {
        yield stretch
        stretch = null
      }
      stretch ??= { first: from, last: to, hours: [] }
      stretch.first = Math.min(stretch.first, from)
      stretch.hours.push(hour)
      below = to - 1
    }
    if (chunk.length < size) break
  }
  if (stretch !== null) yield stretch
}
