import type { DatabaseSync } from 'node:sqlite'
import type { AuditFilter } from '../../../src-shared/audit.ts'
import type { Shape } from './projection.ts'
import { HOUR, hourOf } from './schema.ts'
import { WordReader } from './words.ts'

/** The fields a filter names, in the order of `Shape`. */
export const FIELDS = ['client', 'tool', 'secret', 'outcome', 'event'] as const
type Field = (typeof FIELDS)[number]

export interface ShapeRow {
  id: number
  shape: Shape
  count: number
}

export function allShapes(db: DatabaseSync): ShapeRow[] {
  const statement = db.prepare('SELECT id, client, tool, secret, outcome, event, rule, approver, count FROM shapes WHERE count > 0')
  statement.setReturnArrays(true)
  const rows: ShapeRow[] = []
  for (const row of statement.iterate()) {
    // A STRICT table: these nine columns are integers. The types speak of objects although arrays were asked for.
    const [id, client, tool, secret, outcome, event, rule, approver, count] = row as unknown as number[] as [number, ...Shape, number]
    rows.push({ id, shape: [client, tool, secret, outcome, event, rule, approver], count })
  }
  return rows
}

/** Which of the named fields a shape fails; `null` if it fails the text, which counts against every field. */
export type Judge = (shape: Shape) => readonly Field[] | null

/** Null when the filter lets every shape through. */
export function judgeOf(db: DatabaseSync, filter: AuditFilter): Judge | null {
  const words = new WordReader(db)
  const ids = (list: readonly string[] | undefined) =>
    list && list.length > 0 ? new Set(list.map((word) => words.idOf(word)).filter((id) => id !== null)) : null
  const tests = FIELDS.flatMap((field, index) => {
    const wanted = ids(filter[field])
    const unwanted = ids(filter.not?.[field])
    return wanted || unwanted ? [{ field, index, wanted, unwanted }] : []
  })
  const text = filter.text?.trim().toLowerCase() ?? ''
  if (tests.length === 0 && text === '') return null
  const spoken = text === '' ? null : wordsContaining(db, text)
  return (shape) => {
    if (spoken && !mentions(shape, spoken)) return null
    return tests.filter(({ index, wanted, unwanted }) => fails(shape[index] ?? 0, wanted, unwanted)).map(({ field }) => field)
  }
}

function fails(id: number, wanted: Set<number> | null, unwanted: Set<number> | null): boolean {
  return (wanted !== null && !wanted.has(id)) || (unwanted !== null && unwanted.has(id))
}

/** Free text looks at client, tool, secret, rule and event. */
function mentions(shape: Shape, spoken: Set<number>): boolean {
  const [client, tool, secret, , event, rule] = shape
  return spoken.has(client) || spoken.has(tool) || spoken.has(secret) || spoken.has(event) || spoken.has(rule)
}

function wordsContaining(db: DatabaseSync, text: string): Set<number> {
  const found = new Set<number>()
  for (const { id, word } of db.prepare('SELECT id, word FROM words').iterate()) {
    // A word is stored as JSON; only one with an escape in it has to be read back to be searched.
    if (typeof id !== 'number' || typeof word !== 'string') continue
    const plain = word.includes('\\') ? String(JSON.parse(word)) : word.slice(1, -1)
    if (plain.toLowerCase().includes(text)) found.add(id)
  }
  return found
}

/** The seqs between which all rows of this time lie; null if there are none. Other rows may lie there too. */
export function seqRange(db: DatabaseSync, from: number | undefined, to: number | undefined): { first: number; last: number } | null {
  const span = db.prepare('SELECT min(first) AS first, max(last) AS last FROM hours WHERE hour BETWEEN ? AND ?')
  const lastHour = to === undefined ? Number.MAX_SAFE_INTEGER : Math.ceil(to / HOUR) - 1
  const found = span.get(from === undefined ? -Number.MAX_SAFE_INTEGER : hourOf(from), lastHour)
  const first = found?.['first']
  const last = found?.['last']
  return typeof first === 'number' && typeof last === 'number' ? { first, last } : null
}

export function inTime(wall: number, from: number | undefined, to: number | undefined): boolean {
  return (from === undefined || wall >= from) && (to === undefined || wall < to)
}
