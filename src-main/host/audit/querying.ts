import type { DatabaseSync } from 'node:sqlite'
import { OUTCOMES, type AuditFilter, type AuditPage, type AuditRow, type LedgerEntry } from '../../../src-shared/audit.ts'
import { allShapes, inTime, judgeOf, seqRange, type ShapeRow } from './filtering.ts'
import type { Shape } from './projection.ts'
import { entryOf, stored } from './stored.ts'
import { WordReader } from './words.ts'

/** Up to so many shapes their rows are merged from the index; beyond, reading all rows in order is quicker. */
const MERGED_SHAPES = 4_000

const ROW = 'SELECT seq, last, wall, shape, call FROM projection'

interface Place {
  db: DatabaseSync
  filter: AuditFilter
  /** Rows with a greater seq than `to`, or a smaller one than `from`, are not wanted. */
  from: number
  to: number
}

/** The newest rows of a filter, by seq; `before` continues where a page ended. */
export function page(db: DatabaseSync, filter: AuditFilter, before: number | null, limit: number): AuditPage {
  const range = seqRange(db, filter.from, filter.to)
  if (range === null) return { rows: [], before: null }
  const place = { db, filter, from: range.first, to: before === null ? range.last : Math.min(range.last, before - 1) }
  const judge = judgeOf(db, filter)
  const shapes = judge && allShapes(db).filter(({ shape }) => judge(shape)?.length === 0)
  // One more than asked for tells whether there is another page.
  const rows = shapes === null ? scan(place, null, limit + 1) : select(place, shapes, limit + 1)
  const shown = rows.slice(0, limit)
  return { rows: toRows(db, shown), before: rows.length > limit ? (shown.at(-1)?.seq ?? null) : null }
}

export interface StoredRow {
  seq: number
  last: number
  wall: number
  shape: number
  call: string | null
}

function select(place: Place, shapes: readonly ShapeRow[], limit: number): StoredRow[] {
  if (shapes.length === 0) return []
  if (shapes.length > MERGED_SHAPES) return scan(place, new Set(shapes.map(({ id }) => id)), limit)
  return merge(place, shapes, limit)
}

function scan({ db, filter, from, to }: Place, shapes: ReadonlySet<number> | null, limit: number): StoredRow[] {
  const rows: StoredRow[] = []
  for (const raw of db.prepare(`${ROW} WHERE seq BETWEEN ? AND ? ORDER BY seq DESC`).iterate(from, to)) {
    const row = storedRow(raw)
    if ((shapes && !shapes.has(row.shape)) || !inTime(row.wall, filter.from, filter.to)) continue
    rows.push(row)
    if (rows.length === limit) break
  }
  return rows
}

/** Each shape's rows lie in order in the index; the newest of all of them is the next. */
function merge({ db, filter, from, to }: Place, shapes: readonly ShapeRow[], limit: number): StoredRow[] {
  const next = db.prepare('SELECT seq FROM projection WHERE shape = ? AND seq BETWEEN ? AND ? ORDER BY seq DESC LIMIT ?')
  next.setReturnArrays(true)
  // An integer column in an array, although the types speak of objects.
  const fetch = (id: number, upTo: number, count: number) => (next.all(id, from, upTo, count) as unknown as [number][]).map(([seq]) => seq)
  const first = shapes.length > 64 ? 1 : Math.min(limit, 64)
  const runs = shapes.map(({ id }) => ({ id, seqs: fetch(id, to, first), at: 0, size: first })).filter(({ seqs }) => seqs.length > 0)
  const get = db.prepare(`${ROW} WHERE seq = ?`)
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
    const more = run.seqs.length < run.size ? [] : fetch(run.id, seq - 1, 64)
    if (more.length === 0) runs.splice(newest, 1)
    else Object.assign(run, { seqs: more, at: 0, size: 64 })
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
  if (typeof seq !== 'number' || typeof wall !== 'number' || typeof shape !== 'number') throw new Error('A row of the projection is gone.')
  return { seq, last: typeof last === 'number' ? last : seq, wall, shape, call: typeof call === 'string' ? call : null }
}

export function toRows(db: DatabaseSync, rows: readonly StoredRow[]): AuditRow[] {
  const describe = rowMaker(db)
  return rows.map(describe)
}

/** Turns numbers back into words. */
export function rowMaker(db: DatabaseSync): (row: StoredRow) => AuditRow {
  const words = new WordReader(db)
  const byId = db.prepare('SELECT client, tool, secret, outcome, event, rule, approver FROM shapes WHERE id = ?')
  byId.setReturnArrays(true)
  const known = new Map<number, Omit<AuditRow, 'seq' | 'lastSeq' | 'wall' | 'call'>>()
  const look = (id: number) => {
    // Seven integer columns of a STRICT table, as an array; nothing if somebody removed the row.
    const shape = (byId.get(id) as unknown as Shape | undefined) ?? [0, 0, 0, 0, 0, 0, 0]
    const [client, tool, secret, outcome, event, rule, approver] = shape.map(words.word)
    return {
      event: event ?? '',
      client: client ?? null,
      tool: tool ?? null,
      secret: secret ?? null,
      outcome: OUTCOMES.find((name) => name === outcome) ?? null,
      rule: rule ?? null,
      approver: approver ?? null,
    }
  }
  return ({ seq, last, wall, shape, call }) => {
    const described = known.get(shape) ?? look(shape)
    known.set(shape, described)
    return { seq, lastSeq: last, wall, call, ...described }
  }
}

/** Every entry about the call of this row, oldest first; or the one entry, if it is about no call. */
export function story(db: DatabaseSync, seq: number): LedgerEntry[] {
  const words = new WordReader(db)
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
