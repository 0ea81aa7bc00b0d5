import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DatabaseSync } from 'node:sqlite'
import { byKey } from './chunks.ts'
import { callNumber, ExpectedKeys, shapeNumber } from './keys.ts'
import { Tampered } from './tampered.ts'

/**
 * Whoever edits the pages of the file can take a row out of an index and leave it in its table: then it is there when all rows
 * are read, and missing from every filtered view. SQLite's own check would find that, but hold up the reader for seconds.
 */
export class IndexCheck {
  readonly #shapes: ExpectedKeys
  readonly #calls: ExpectedKeys

  /** From this seq on. */
  constructor(first: number) {
    this.#shapes = new ExpectedKeys(first, shapeNumber)
    this.#calls = new ExpectedKeys(first, callNumber)
  }

  /** A row that was found to be right. */
  note(seq: number, shape: number, call: string | null): void {
    this.#shapes.expect(seq, shape)
    if (call !== null) this.#calls.expect(seq, lastEight(call))
  }

  async check(db: DatabaseSync, open: readonly number[]): Promise<void> {
    await compare(byKey(db, BY_SHAPE), this.#shapes)
    await compare(byKey(db, BY_CALL), this.#calls)
    const waiting = db.prepare(OPEN).all()
    if (waiting.length !== open.length || waiting.some(({ seq }, at) => seq !== open[at])) throw new Tampered(0, UNFIT)
    for (const table of ['words', 'shapes', 'hours']) {
      if (db.prepare(`PRAGMA integrity_check(${table})`).get()?.['integrity_check'] !== 'ok') throw new Tampered(0, UNFIT)
    }
  }
}

// All of these are answered from the index alone.
const BY_SHAPE = { index: 'projection_shape', key: 'shape', where: 'true', first: Number.MIN_SAFE_INTEGER }
const BY_CALL = { index: 'projection_call', key: 'substr(call, -8)', where: 'call IS NOT NULL', first: '' }
const OPEN = 'SELECT seq FROM projection INDEXED BY projection_open WHERE last IS NULL'

const UNFIT = 'An index of the log does not fit its rows.'

/** As many entries as rows, each of them right, in order and no row twice: so every row has its entry, and is found by it. */
async function compare<Key extends string | number>(index: Iterable<[Key, seq: number][]>, keys: ExpectedKeys): Promise<void> {
  let seen = 0
  let before: Key | null = null
  for (const entries of index) {
    for (const [key, seq] of entries) {
      if (!keys.take(seq, key) || (before !== null && key < before && !isAfter(key, before))) throw new Tampered(seq, UNFIT)
      before = key
    }
    seen += entries.length
    await nextTurn()
  }
  if (seen !== keys.count) throw new Tampered(0, UNFIT)
}

/** As SQLite compares texts: by their UTF-8, which differs from JavaScript's way beyond U+FFFF. */
function isAfter(key: string | number, before: string | number): boolean {
  return typeof key === 'string' && typeof before === 'string' && Buffer.from(key).compare(Buffer.from(before)) > 0
}

/** As SQLite's substr counts: by code points. */
function lastEight(call: string): string {
  const tail = call.slice(-8)
  return /[\ud800-\udfff]/.test(tail) ? Array.from(call).slice(-8).join('') : tail
}
