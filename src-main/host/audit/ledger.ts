import type { KeyObject } from 'node:crypto'
import { statSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Entry, LedgerEntry } from '../../../src-shared/audit.ts'
import { GENESIS, macOf, sameMac } from './chain.ts'
import { AuditError } from './errors.ts'
import { pack, packedText } from './packing.ts'
import { place, shapeOf, type OpenRow, type Shape } from './projection.ts'
import { Tally } from './tally.ts'
import { WordWriter } from './words.ts'

/** An entry with the times of the moment it was handed in, and its detail as canonical text. */
export interface Stamped extends Omit<Entry, 'detail'> {
  detail: string
  wall: number
  mono: number
  boot: string
}

/** An entry in its place. */
type Numbered = Stamped & Pick<LedgerEntry, 'seq' | 'clockBack'>

export interface Head {
  seq: number
  mac: Uint8Array
  wall: number
}

/** The file is no longer the one that was opened, or its end is not what was written last. */
export class Displaced extends AuditError {
  constructor() {
    super('another program changes the audit database')
  }
}

/** The open database as its one writer sees it: ledger and projection change together or not at all. */
export class Ledger {
  readonly db: DatabaseSync
  readonly #key: KeyObject
  readonly #path: string
  readonly #inode: bigint
  readonly #words: WordWriter
  readonly #tally: Tally
  readonly #newest: StatementSync
  readonly #insert: StatementSync
  readonly #addRow: StatementSync
  readonly #closeRow: StatementSync
  #open: Map<string, OpenRow>
  #head: Head | null
  /** The seq that the first row of an empty file gets. */
  readonly #start: number

  constructor(options: { db: DatabaseSync; path: string; key: KeyObject; head: Head | null; start: number; open: Map<string, OpenRow> }) {
    const { db } = options
    this.db = db
    this.#path = options.path
    this.#inode = statSync(options.path, { bigint: true }).ino
    this.#key = options.key
    this.#head = options.head
    this.#start = options.start
    this.#open = options.open
    this.#words = new WordWriter(db)
    this.#tally = new Tally(db)
    this.#newest = db.prepare('SELECT seq, mac FROM ledger ORDER BY seq DESC LIMIT 1')
    this.#insert = db.prepare('INSERT INTO ledger (seq, body, mac) VALUES (?, ?, ?)')
    this.#addRow = db.prepare('INSERT INTO projection (seq, last, wall, shape, call) VALUES (?, ?, ?, ?, ?)')
    this.#closeRow = db.prepare('UPDATE projection SET last = ?, shape = ? WHERE seq = ?')
  }

  get head(): Head | null {
    return this.#head
  }

  /** Seq of the oldest intent that awaits its outcome. */
  get oldestOpen(): number | null {
    return this.#open.size === 0 ? null : Math.min(...[...this.#open.values()].map((row) => row.seq))
  }

  isInPlace(): boolean {
    const found = statSync(this.#path, { bigint: true, throwIfNoEntry: false })
    return found !== undefined && found.ino === this.#inode
  }

  /** Writes all of them in one commit, or throws and has written none. Returns their seqs. */
  commit(batch: readonly Stamped[]): number[] {
    const openBefore = new Map(this.#open)
    return this.transaction(
      () => {
        this.#mustContinue()
        let head = this.#head
        const written = batch.map((stamped) => {
          const entry = numbered(stamped, head, this.#start)
          head = this.#write(entry, head)
          return entry.seq
        })
        this.#tally.write()
        return { written, head }
      },
      ({ head }) => (this.#head = head),
      () => (this.#open = openBefore),
    ).written
  }

  /** Runs `work` in one transaction; caches and memory follow the database whichever way it ends. */
  transaction<T>(work: () => T, done: (result: T) => void = () => {}, undone: () => void = () => {}): T {
    this.#words.trim()
    this.db.exec('BEGIN IMMEDIATE')
    let result: T
    try {
      result = work()
      this.db.exec('COMMIT')
    } catch (error) {
      undone()
      this.#words.forget()
      this.#tally.forget()
      if (this.db.isTransaction) this.db.exec('ROLLBACK')
      throw error
    }
    done(result)
    return result
  }

  get words(): WordWriter {
    return this.#words
  }

  get tally(): Tally {
    return this.#tally
  }

  close(): void {
    if (this.db.isOpen) this.db.close()
  }

  /** Whoever removed or added rows behind our back is noticed before the next one is chained to them. */
  #mustContinue(): void {
    const newest = this.#newest.get()
    const seq = newest?.['seq'] ?? null
    const mac = newest?.['mac']
    if (seq !== (this.#head?.seq ?? null)) throw new Displaced()
    if (this.#head && !(mac instanceof Uint8Array && sameMac(mac, this.#head.mac))) throw new Displaced()
  }

  #write(entry: Numbered, head: Head | null): Head {
    const packed = pack(entry, this.#words.id)
    const mac = macOf(this.#key, packedText(entry.seq, packed, this.#words.json), head?.mac ?? GENESIS)
    this.#insert.run(entry.seq, JSON.stringify(packed), mac)
    this.#project(entry, shapeOf(packed))
    return { seq: entry.seq, mac, wall: entry.wall }
  }

  #project(entry: Numbered, shape: Shape): void {
    const { seq, wall, kind, call } = entry
    const placement = place({ seq, wall, kind, call, shape }, this.#open)
    if (placement.does === 'close') {
      const { row } = placement
      const id = this.#tally.idOf(placement.shape)
      this.#closeRow.run(seq, id, row.seq)
      this.#tally.add(row.wall, this.#tally.idOf(row.shape), -1)
      this.#tally.add(row.wall, id, 1)
      return
    }
    const id = this.#tally.idOf(shape)
    this.#addRow.run(seq, placement.does === 'open' ? null : seq, wall, id, call)
    this.#tally.add(wall, id, 1)
    this.#tally.spans(wall, seq)
  }
}

function numbered(stamped: Stamped, head: Head | null, start: number): Numbered {
  return { ...stamped, seq: head ? head.seq + 1 : start, clockBack: head !== null && stamped.wall < head.wall }
}
