import { OUTCOMES, type AuditFilter, type AuditPage, type AuditRow, type LedgerEntry } from '../../../src-shared/audit.ts'
import type { Bound } from './bounded.ts'
import { hiddenRows } from './counting.ts'
import { slotsBetween, unpackCounts } from './counts.ts'
import { inTime, matchingShapes, seqRange, type SeqRange } from './filtering.ts'
import type { Log } from './lexicon.ts'
import { skipRows } from './skipping.ts'
import { UnreadableEntry } from './packing.ts'
import { entryOf, stored } from './stored.ts'

/** Up to so many shapes, their rows are merged from the index; beyond, reading the hours that have some is quicker. */
const MERGED_SHAPES = 2_048
/** Rows taken from the index at once, when there is one shape, and when there are very many. */
const LONGEST_RUN = 64
const SHORTEST_RUN = 4

const ROW = 'SELECT seq, last, wall, shape, call FROM projection'

interface Search extends SeqRange {
  log: Log
  filter: AuditFilter
  limit: number
}

/**
 * The newest rows of a filter, by seq; `before` continues where a page ended, `skip` passes over so many first. Whoever is bound
 * is told with the first page how many rows are kept from them.
 */
export function page(log: Log, filter: AuditFilter, before: number | null, limit: number, skip = 0, bound: Bound | null = null): AuditPage {
  const found = rowsOf(log, filter, before, limit, skip, bound)
  return bound === null || before !== null ? found : { ...found, others: hiddenRows(log, filter, bound) }
}

function rowsOf(log: Log, filter: AuditFilter, before: number | null, limit: number, skip: number, bound: Bound | null): AuditPage {
  const range = seqRange(log.db, filter.from, filter.to)
  if (range === null) return { rows: [], before: null }
  const shapes = matchingShapes(log, filter, bound)
  const newest = before === null ? range.last : Math.min(range.last, before - 1)
  const last = skipRows(log, filter, shapes, { first: range.first, last: newest }, skip, bound)
  if (last === null) return { rows: [], before: null }
  // One more than asked for tells whether there is another page.
  const rows = select({ log, filter, limit: limit + 1, first: range.first, last }, shapes)
  const shown = rows.slice(0, limit)
  return { rows: shown.map(rowMaker(log)), before: rows.length > limit ? (shown.at(-1)?.seq ?? null) : null }
}

export interface StoredRow {
  seq: number
  last: number
  wall: number
  shape: number
  call: string | null
}

function select(search: Search, shapes: ReadonlySet<number> | null): StoredRow[] {
  if (shapes === null) return scan(search, [search], null)
  if (shapes.size <= MERGED_SHAPES) return merge(search, shapes)
  return scan(search, rangesWith(search, shapes), shapes)
}

function scan({ log, filter, limit }: Search, ranges: Iterable<SeqRange>, shapes: ReadonlySet<number> | null): StoredRow[] {
  const rows: StoredRow[] = []
  const newestFirst = log.db.prepare(`${ROW} WHERE seq BETWEEN ? AND ? ORDER BY seq DESC`)
  for (const { first, last } of ranges) {
    for (const raw of newestFirst.iterate(first, last)) {
      const row = storedRow(raw)
      if ((shapes && !shapes.has(row.shape)) || !inTime(row.wall, filter.from, filter.to)) continue
      rows.push(row)
      if (rows.length === limit) return rows
    }
  }
  return rows
}

/** Ranges of seqs, newest first, outside of which no row has one of these shapes. Hours overlap where the clock was set back. */
function* rangesWith({ log, first, last }: Search, shapes: ReadonlySet<number>): Generator<SeqRange> {
  const slots = log.db.prepare('SELECT pairs FROM counts WHERE slot BETWEEN ? AND ?')
  const has = (hour: number) => slots.all(...slotsBetween(hour, hour + 1)).some(({ pairs }) => hasAny(unpackCounts(pairs), shapes))
  let range: SeqRange | null = null
  for (const row of log.db.prepare('SELECT hour, first, last FROM hours WHERE last >= ? ORDER BY last DESC').iterate(first)) {
    const hour = { first: Math.max(Number(row['first']), first), last: Math.min(Number(row['last']), last) }
    if (hour.first > hour.last || !has(Number(row['hour']))) continue
    if (range !== null && hour.last < range.first) {
      yield range
      range = null
    }
    range = range === null ? hour : { first: Math.min(range.first, hour.first), last: Math.max(range.last, hour.last) }
  }
  if (range !== null) yield range
}

function hasAny(pairs: Uint32Array, shapes: ReadonlySet<number>): boolean {
  for (let at = 0; at < pairs.length; at += 2) if (shapes.has(pairs[at] ?? 0)) return true
  return false
}

/** Each shape's rows lie in order in the index; the newest of all of them is the next. */
function merge({ log, filter, limit, first, last }: Search, shapes: ReadonlySet<number>): StoredRow[] {
  const next = log.db.prepare('SELECT seq FROM projection WHERE shape = ? AND seq BETWEEN ? AND ? ORDER BY seq DESC LIMIT ?')
  next.setReturnArrays(true)
  const length = Math.min(Math.max(SHORTEST_RUN, Math.ceil((4 * limit) / Math.max(1, shapes.size))), LONGEST_RUN)
  // An integer column in an array, although the types speak of objects.
  const fetch = (id: number, upTo: number) => (next.all(id, first, upTo, length) as unknown as [number][]).map(([seq]) => seq)
  const runs = [...shapes].map((id) => ({ id, seqs: fetch(id, last), at: 0 })).filter(({ seqs }) => seqs.length > 0)
  const get = log.db.prepare(`${ROW} WHERE seq = ?`)
  const rows: StoredRow[] = []
  while (rows.length < limit && runs.length > 0) {
    const newest = indexOfNewest(runs)
    const run = runs[newest]
    const seq = run?.seqs[run.at]
    if (run === undefined || seq === undefined) break
    const row = storedRow(get.get(seq))
    if (inTime(row.wall, filter.from, filter.to)) rows.push(row)
    run.at += 1
    if (run.at < run.seqs.length) continue
    run.seqs = run.seqs.length < length ? [] : fetch(run.id, seq - 1)
    run.at = 0
    if (run.seqs.length === 0) runs.splice(newest, 1)
  }
  return rows
}

function indexOfNewest(runs: readonly { seqs: number[]; at: number }[]): number {
  let best = 0
  let bestSeq = -1
  for (const [index, { seqs, at }] of runs.entries()) {
    const seq = seqs[at] ?? -1
    if (seq > bestSeq) [best, bestSeq] = [index, seq]
  }
  return best
}

export function storedRow(raw: Record<string, unknown> | undefined): StoredRow {
  const { seq, last, wall, shape, call } = raw ?? {}
  if (typeof seq !== 'number' || typeof wall !== 'number' || typeof shape !== 'number')
    throw new UnreadableEntry('A row of the log is gone.')
  return { seq, last: typeof last === 'number' ? last : seq, wall, shape, call: typeof call === 'string' ? call : null }
}

/** Turns numbers back into words. */
export function rowMaker({ lexicon }: Log): (row: StoredRow) => AuditRow {
  return ({ seq, last, wall, shape, call }) => {
    const [client, tool, secret, outcome, event, rule, approver] = lexicon.shape(shape)
    const { word } = lexicon.words
    const ended = word(outcome)
    return {
      seq,
      lastSeq: last,
      wall,
      event: word(event) ?? '',
      call,
      client: word(client),
      tool: word(tool),
      secret: word(secret),
      outcome: OUTCOMES.find((name) => name === ended) ?? null,
      rule: word(rule),
      approver: word(approver),
    }
  }
}

/** Every entry about the call of this row, oldest first; or the one entry, if it is about no call. */
export function story({ db, lexicon: { words } }: Log, seq: number): LedgerEntry[] {
  const row = stored(db, seq)
  if (row === null) return []
  const entry = entryOf(row, words)
  if (entry.call === null) return [entry]
  const rows = db.prepare('SELECT seq, last FROM projection WHERE substr(call, -8) = substr(?1, -8) AND call = ?1').all(entry.call)
  const seqs = new Set([seq, ...rows.flatMap(({ seq, last }) => [seq, last]).filter((value) => typeof value === 'number')])
  return [...seqs]
    .toSorted((a, b) => a - b)
    .map((at) => stored(db, at))
    .filter((found) => found !== null)
    .map((found) => entryOf(found, words))
}
