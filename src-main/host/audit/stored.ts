import type { KeyObject } from 'node:crypto'
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { AuditBreak, LedgerEntry } from '../../../src-shared/audit.ts'
import { GENESIS, macOf, sameMac, type Anchor } from './chain.ts'
import { packedText, parsePacked, unpack, UnreadableEntry } from './packing.ts'
import { WordReader } from './words.ts'

/** A row of the ledger as it lies there, believed by nobody yet. */
export interface Stored {
  seq: number
  body: string
  mac: Uint8Array
}

export type Which = 'first' | 'last' | number

export function stored(db: DatabaseSync, which: Which): Stored | null {
  const columns = 'SELECT seq, body, mac FROM ledger'
  if (which === 'first') return asStored(db.prepare(`${columns} ORDER BY seq LIMIT 1`).get())
  if (which === 'last') return asStored(db.prepare(`${columns} ORDER BY seq DESC LIMIT 1`).get())
  return asStored(db.prepare(`${columns} WHERE seq = ?`).get(which))
}

export function asStored(row: Record<string, SQLOutputValue> | undefined): Stored | null {
  if (row === undefined) return null
  const { seq, body, mac } = row
  if (typeof seq !== 'number' || typeof body !== 'string' || !(mac instanceof Uint8Array)) {
    throw new UnreadableEntry('A row of the log is not of its form.')
  }
  return { seq, body, mac }
}

export function entryOf(row: Stored, words: WordReader): LedgerEntry {
  return unpack(row.seq, parsePacked(row.seq, row.body), words.word)
}

/** Where pruning ended: rows up to `seq` are gone, and the chain goes on from `mac`. */
export interface Base {
  seq: number
  mac: Uint8Array
}

/** The last prefix that was pruned, as its row names it. Whoever relies on it checks that row's MAC. */
export function pruned(db: DatabaseSync, words: WordReader): { by: LedgerEntry; base: Base } | null {
  const row = latestOf(db, 'audit.pruned', words)
  if (row === null) return null
  const by = entryOf(row, words)
  const { base, mac } = by.detail
  if (by.event !== 'audit.pruned' || typeof base !== 'number' || typeof mac !== 'string' || !/^[0-9a-f]{64}$/.test(mac)) {
    throw new UnreadableEntry(`Entry ${by.seq} does not say what was pruned.`)
  }
  return { by, base: { seq: base, mac: Buffer.from(mac, 'hex') } }
}

/** The newest entry of this event, found through the projection. */
function latestOf(db: DatabaseSync, event: string, words: WordReader): Stored | null {
  const id = words.idOf(event)
  if (id === null) return null
  const newest = db
    .prepare('SELECT max((SELECT max(seq) FROM projection WHERE shape = shapes.id)) AS seq FROM shapes WHERE event = ?')
    .get(id)
  return typeof newest?.['seq'] === 'number' ? stored(db, newest['seq']) : null
}

/** Whether this row was made with our key, after the row that stands before it (or before which the log was pruned). */
export function isAuthentic(db: DatabaseSync, row: Stored, base: Base | null, key: KeyObject, words: WordReader): boolean {
  try {
    const previous = base?.seq === row.seq - 1 ? base.mac : (stored(db, row.seq - 1)?.mac ?? GENESIS)
    return sameMac(row.mac, macOf(key, packedText(row.seq, parsePacked(row.seq, row.body), words.json), previous))
  } catch (error) {
    if (error instanceof UnreadableEntry) return false
    throw error
  }
}

/** The first row that counts: those up to the base are released, though a crash may have left some of them in the file. */
export function firstKept(db: DatabaseSync, base: Base | null): Stored | null {
  return stored(db, base ? base.seq + 1 : 'first')
}

const FOUND = ['missing', 'behind', 'foreign', 'corrupt', 'no key'] as const

/** What the first row of this file says about the one before it, if it says anything. */
export interface Segment {
  break: AuditBreak
  /** The anchor that the broken log should have reached. */
  anchor: Anchor | null
}

export function segmentOf(entry: LedgerEntry): Segment | null {
  if (entry.event !== 'audit.segment') return null
  const { found, aside, anchor, last } = entry.detail
  const known = FOUND.find((name) => name === found)
  if (known === undefined) return null
  return {
    break: {
      seq: entry.seq,
      wall: entry.wall,
      found: known,
      aside: typeof aside === 'string' ? aside : null,
      last: typeof last === 'number' ? last : null,
      acknowledged: false,
    },
    anchor: asAnchor(anchor),
  }
}

function asAnchor(value: LedgerEntry['detail'][string] | undefined): Anchor | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const { seq, mac } = value
  return typeof seq === 'number' && typeof mac === 'string' ? { seq, mac } : null
}

/** The break this file begins with. An acknowledgement counts only if it was made with our key. */
export function breaksOf(db: DatabaseSync, key: KeyObject): AuditBreak[] {
  const words = new WordReader(db)
  const base = pruned(db, words)?.base ?? null
  const first = firstKept(db, base)
  const segment = first && segmentOf(entryOf(first, words))
  if (!segment) return []
  const row = latestOf(db, 'audit.acknowledged', words)
  const acknowledged = row !== null && isAuthentic(db, row, base, key, words) && entryOf(row, words).detail['segment'] === segment.break.seq
  return [{ ...segment.break, acknowledged }]
}
