import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DatabaseSync } from 'node:sqlite'
import type { Ledger } from './ledger.ts'
import { parsePacked } from './packing.ts'
import { storedRow } from './querying.ts'

// The worker looks for what may go; the writer removes it, a little at a time, so that calls are served meanwhile.

export function pruneBase(db: DatabaseSync, beforeWall: number, limit: number): number | null {
  const young = db.prepare('SELECT seq FROM projection WHERE wall >= ? ORDER BY seq LIMIT 1').get(beforeWall)?.['seq']
  let base = Math.min(limit, typeof young === 'number' ? young - 1 : limit)
  const reaching = db.prepare('SELECT min(seq) AS seq FROM projection WHERE seq <= ?1 AND (last IS NULL OR last > ?1)')
  for (;;) {
    const seq = reaching.get(base)?.['seq']
    if (typeof seq !== 'number') break
    base = seq - 1
  }
  const first = db.prepare('SELECT min(seq) AS seq FROM ledger').get()?.['seq']
  return typeof first === 'number' && base >= first ? base : null
}

export interface Unused {
  words: number[]
  shapes: number[]
}

/** Words that no entry uses any more, and shapes that no row has, as of one state of the log. */
export async function unused(db: DatabaseSync): Promise<Unused> {
  const words = new Set<number>()
  let seen = 0
  for (const { seq, body } of db.prepare('SELECT seq, body FROM ledger').iterate()) {
    const [kind, event, , client, peer, standing, tool, secret, outcome, rule, approver, , , , boot] = parsePacked(
      Number(seq),
      String(body),
    )
    for (const id of [kind, event, client, peer, standing, tool, secret, outcome, rule, approver, boot]) words.add(id)
    if (++seen % 5_000 === 0) await nextTurn()
  }
  const ids = (table: 'words' | 'shapes') =>
    db
      .prepare(`SELECT id FROM ${table}`)
      .all()
      .map(({ id }) => Number(id))
  const taken = db.prepare('SELECT 1 FROM projection WHERE shape = ? LIMIT 1')
  return {
    words: ids('words').filter((id) => !words.has(id)),
    shapes: ids('shapes').filter((id) => taken.get(id) === undefined),
  }
}

/** So few that a chunk takes the host a few milliseconds. */
const CHUNK = 100
const PAGES = 50

/** Removes what was released up to `base`, which the chain no longer needs. Returns how many entries went. */
export async function removeUpTo(ledger: () => Ledger, base: number): Promise<number> {
  let removed = 0
  for (;;) {
    const now = ledger()
    const first = now.db.prepare('SELECT min(seq) AS seq FROM ledger').get()?.['seq']
    if (typeof first !== 'number' || first > base) return removed
    removed += removeChunk(now, Math.min(base, first + CHUNK - 1))
    now.db.exec(`PRAGMA incremental_vacuum(${PAGES})`)
    await nextTurn()
  }
}

function removeChunk(ledger: Ledger, upTo: number): number {
  const { db, tally } = ledger
  return ledger.transaction(() => {
    for (const raw of db.prepare('SELECT seq, last, wall, shape, call FROM projection WHERE seq <= ?').all(upTo)) {
      const row = storedRow(raw)
      tally.add(row.wall, row.shape, -1)
    }
    tally.write()
    db.prepare('DELETE FROM projection WHERE seq <= ?').run(upTo)
    db.prepare('DELETE FROM hours WHERE last <= ?').run(upTo)
    return Number(db.prepare('DELETE FROM ledger WHERE seq <= ?').run(upTo).changes)
  })
}

/** Names that occurred only in what was removed go with it. */
export async function removeUnused(ledger: Ledger, findUnused: () => Promise<Unused>): Promise<void> {
  const givenWords = ledger.words.startWatching()
  const givenShapes = ledger.tally.startWatching()
  try {
    const { words, shapes } = await findUnused()
    // A shape or word found unused may have come into use since, also between two chunks.
    await removeIds(ledger, 'shapes', shapes, givenShapes)
    await removeIds(ledger, 'words', words, givenWords)
  } finally {
    ledger.words.stopWatching()
    ledger.tally.stopWatching()
  }
}

async function removeIds(ledger: Ledger, table: 'words' | 'shapes', ids: readonly number[], given: ReadonlySet<number>): Promise<void> {
  for (let at = 0; at < ids.length; at += CHUNK) {
    const remove = ledger.db.prepare(`DELETE FROM ${table} WHERE id = ?`)
    ledger.transaction(() => {
      for (const id of ids.slice(at, at + CHUNK)) if (!given.has(id)) remove.run(id)
    })
    ledger.words.forget()
    ledger.tally.forget()
    await nextTurn()
  }
}
