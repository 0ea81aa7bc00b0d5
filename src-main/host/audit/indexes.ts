import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DatabaseSync } from 'node:sqlite'
import { Tampered } from './tampered.ts'

/**
 * Whoever edits the pages of the file can take a row out of an index and leave it in its table: then it is there when all rows
 * are read, and missing from every filtered view. SQLite's own check would find that, but hold up the reader for seconds.
 */
export class IndexCheck {
  readonly #shapes: (number | null)[] = []
  readonly #calls: (string | null)[] = []
  readonly #first: number
  #rows = 0
  #called = 0

  /** Seqs have no gaps from `first` on, so what is kept here is no longer than the log. */
  constructor(first: number) {
    this.#first = first
  }

  /** A row that was found to be right. */
  note(seq: number, shape: number, call: string | null): void {
    this.#rows += 1
    this.#shapes[seq - this.#first] = shape
    if (call === null) return
    this.#called += 1
    this.#calls[seq - this.#first] = lastEight(call)
  }

  async check(db: DatabaseSync, open: readonly number[]): Promise<void> {
    await compare(db, BY_SHAPE, this.#rows, (key, seq) => taken(this.#shapes, seq - this.#first, key))
    await compare(db, BY_CALL, this.#called, (key, seq) => taken(this.#calls, seq - this.#first, key))
    const waiting = new Set(open)
    await compare(db, OPEN, open.length, (_key, seq) => waiting.delete(seq))
    for (const table of ['words', 'shapes', 'hours']) {
      if (db.prepare(`PRAGMA integrity_check(${table})`).get()?.['integrity_check'] !== 'ok') throw new Tampered(0, UNFIT)
    }
  }
}

// All of these are answered from the index alone.
const BY_SHAPE = 'SELECT shape, seq FROM projection INDEXED BY projection_shape'
const BY_CALL = 'SELECT substr(call, -8), seq FROM projection INDEXED BY projection_call WHERE call IS NOT NULL'
const OPEN = 'SELECT 0, seq FROM projection INDEXED BY projection_open WHERE last IS NULL'

const UNFIT = 'An index of the log does not fit its rows.'

/** Whether this key is expected at this place; a second time it no longer is. */
function taken(keys: unknown[], at: number, key: unknown): boolean {
  if (keys[at] !== key) return false
  keys[at] = null
  return true
}

/** As many entries as rows, each of them right and no row twice: so every row has its entry. */
async function compare(db: DatabaseSync, sql: string, rows: number, isRight: (key: unknown, seq: number) => boolean): Promise<void> {
  const entries = db.prepare(sql)
  entries.setReturnArrays(true)
  let seen = 0
  for (const entry of entries.iterate()) {
    // A key and an integer, in an array as asked for although the types speak of objects.
    const [key, seq] = entry as unknown as [unknown, number]
    if (!isRight(key, seq)) throw new Tampered(seq, UNFIT)
    if (++seen % 5_000 === 0) await nextTurn()
  }
  if (seen !== rows) throw new Tampered(0, UNFIT)
}

/** As SQLite's substr counts: by code points. */
function lastEight(call: string): string {
  const tail = call.slice(-8)
  return /[\ud800-\udfff]/.test(tail) ? Array.from(call).slice(-8).join('') : tail
}
