import type { KeyObject } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { AuditBreak, LedgerEntry } from '../../../src-shared/audit.ts'
import type { Anchor } from './chain.ts'
import { AuditError } from './errors.ts'
import type { Head } from './ledger.ts'
import { parsePacked, UnreadableEntry } from './packing.ts'
import { shapeOf, type OpenRow } from './projection.ts'
import { tablesOf, versionOf, VERSION } from './schema.ts'
import { entryOf, firstKept, isAuthentic, pruned, segmentOf, stored, type Stored } from './stored.ts'
import { WordReader } from './words.ts'

export type Finding =
  | { is: 'sound'; head: Head; open: Map<string, OpenRow>; openIntents: LedgerEntry[]; released: number }
  /** Tables but no rows, or nothing at all: a first start that was cut short. */
  | { is: 'empty' }
  | { is: 'broken'; found: AuditBreak['found']; head: number | null }

interface Question {
  key: KeyObject
  keyIsNew: boolean
  anchor: Anchor | null
  anchorUnreadable: boolean
  thorough: boolean
}

/** Seqs beyond this are not believed of a log that is not ours. */
const SANE_SEQ = 1e12

/** Looks at the ends of the log and at what was anchored; the whole of it is what `verify` is for. */
export function examine(db: DatabaseSync, question: Question): Finding {
  const { anchor, anchorUnreadable } = question
  if (question.thorough && db.prepare('PRAGMA quick_check(1)').get()?.['quick_check'] !== 'ok') return broken('corrupt', null)
  const tables = tablesOf(db)
  if (versionOf(db) > VERSION) throw new AuditError('the audit log was written by a newer version of Countersign')
  if (tables === 'other') return broken('foreign', null)
  if (tables === 'none') return anchor || anchorUnreadable ? broken('behind', null) : { is: 'empty' }
  try {
    return examineRows(db, question)
  } catch (error) {
    if (error instanceof UnreadableEntry) return broken('foreign', null)
    throw error
  }
}

function examineRows(db: DatabaseSync, { key, keyIsNew, anchor, anchorUnreadable }: Question): Finding {
  const words = new WordReader(db)
  const last = stored(db, 'last')
  if (!last) return anchor || anchorUnreadable ? broken('behind', null) : { is: 'empty' }
  if (keyIsNew) return broken('no key', last.seq)
  const cut = pruned(db, words)
  const base = cut?.base ?? null
  const authentic = (row: Stored | null) => row !== null && isAuthentic(db, row, base, key, words)
  const first = firstKept(db, base)
  if (!first || !authentic(first) || !authentic(last)) return broken('foreign', last.seq)
  if (cut && (cut.by.seq <= cut.base.seq || !authentic(stored(db, cut.by.seq)))) return broken('foreign', last.seq)
  if (anchorUnreadable) return broken('foreign', last.seq)
  if (anchor && !continuesAnchor(first, anchor, words)) {
    if (last.seq < anchor.seq) return broken('behind', last.seq)
    const anchored = stored(db, anchor.seq)
    if (!anchored || Buffer.from(anchored.mac).toString('hex') !== anchor.mac) return broken('foreign', last.seq)
  }
  const waiting = openRows(db)
  if (!waiting.every(authentic)) return broken('foreign', last.seq)
  const openIntents = waiting.map((row) => entryOf(row, words))
  const open = new Map(waiting.map((row, index) => openRow(row, openIntents[index])))
  const head = { seq: last.seq, mac: last.mac, wall: entryOf(last, words).wall }
  return { is: 'sound', head, open, openIntents, released: base?.seq ?? 0 }
}

/** A segment was begun for this very anchor, and the host ended before it could write a newer one. */
function continuesAnchor(first: Stored, anchor: Anchor, words: WordReader): boolean {
  const named = segmentOf(entryOf(first, words))?.anchor
  return named?.seq === anchor.seq && named.mac === anchor.mac
}

function openRows(db: DatabaseSync): Stored[] {
  const seqs = db.prepare('SELECT seq FROM projection INDEXED BY projection_open WHERE last IS NULL ORDER BY seq').all()
  return seqs.map(({ seq }) => {
    const row = typeof seq === 'number' ? stored(db, seq) : null
    if (row === null) throw new UnreadableEntry('The log shows an open intent that it does not hold.')
    return row
  })
}

function openRow(row: Stored, entry: LedgerEntry | undefined): [string, OpenRow] {
  if (entry?.kind !== 'intent' || entry.call === null) throw new UnreadableEntry('The log shows an open intent that is none.')
  return [entry.call, { seq: row.seq, wall: entry.wall, shape: shapeOf(parsePacked(row.seq, row.body)) }]
}

function broken(found: AuditBreak['found'], head: number | null): Finding {
  return { is: 'broken', found, head: head !== null && head < SANE_SEQ ? head : null }
}
