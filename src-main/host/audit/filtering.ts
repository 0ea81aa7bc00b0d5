import type { DatabaseSync } from 'node:sqlite'
import type { AuditFilter } from '../../../src-shared/audit.ts'
import { namelessFilter, sightOf, type Bound } from './bounded.ts'
import type { Log } from './lexicon.ts'
import type { Shape } from './projection.ts'
import { HOUR, hourOf } from './schema.ts'
import { wordFrom } from './words.ts'

/** The fields a filter names, in the order of `Shape`. */
export const FIELDS = ['client', 'tool', 'secret', 'outcome', 'event'] as const
type Field = (typeof FIELDS)[number]

/** Which of the named fields a shape fails; null if it fails the free text, which belongs to no field. */
export type Judge = (shape: Shape) => readonly Field[] | null

/** Null when the filter lets every shape through. */
export function judgeOf({ db, lexicon }: Log, filter: AuditFilter): Judge | null {
  const ids = (list: readonly string[] | undefined) =>
    list && list.length > 0 ? new Set(list.map((word) => lexicon.words.idOf(word)).filter((id) => id !== null)) : null
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

/** The shapes a filter lets through, of those that whoever is bound may see; null for all of them. */
export function matchingShapes(log: Log, filter: AuditFilter, bound: Bound | null = null): Set<number> | null {
  const judge = judgeOf(log, filter)
  const sees = bound && sightOf(log, bound)
  if (judge === null && sees === null) return null
  return shapesThat(log, (shape) => (judge === null || judge(shape)?.length === 0) && (sees === null || sees(shape)))
}

/** The shapes that a filter lets through as well, as far as it names nothing, and that are out of sight of whoever is bound. */
export function hiddenShapes(log: Log, filter: AuditFilter, bound: Bound): Set<number> {
  const judge = judgeOf(log, namelessFilter(filter))
  const sees = sightOf(log, bound)
  return shapesThat(log, (shape) => (judge === null || judge(shape)?.length === 0) && !sees(shape))
}

function shapesThat({ lexicon }: Log, passes: (shape: Shape) => boolean): Set<number> {
  const found = new Set<number>()
  for (const [id, shape] of lexicon.shapes()) if (passes(shape)) found.add(id)
  return found
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
    const plain = word.includes('\\') ? wordFrom(word) : word.slice(1, -1)
    if (plain?.toLowerCase().includes(text)) found.add(id)
  }
  return found
}

export interface SeqRange {
  first: number
  last: number
}

/** The seqs between which all rows of this time lie; null if there are none. Other rows may lie there too. */
export function seqRange(db: DatabaseSync, from: number | undefined, to: number | undefined): SeqRange | null {
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
