import type { DatabaseSync } from 'node:sqlite'
import { bySeq } from './chunks.ts'
import { hourOfSlot, unpackCounts } from './counts.ts'
import { IndexCheck } from './indexes.ts'
import { place, type OpenRow, type Placed, type Shape } from './projection.ts'
import { hourOf } from './schema.ts'
import { Tampered } from './tampered.ts'

/** A row of the projection as an array: seq, last, wall, shape, call. */
type Row = [seq: number, last: number | null, wall: number, shape: number, call: string | null]

interface Hour {
  counts: Map<number, number>
  first: number
  last: number
}

/** Follows the ledger entry by entry and compares what is shown with what it implies. People look at the projection alone. */
export class ProjectionCheck {
  readonly #db: DatabaseSync
  readonly #chunks: Iterator<Row[], void>
  #rows: Row[] = []
  #at = 0
  readonly #shapes = new Map<number, Shape>()
  readonly #open = new Map<string, OpenRow>()
  /** The shown rows of open intents, to be compared when they close. */
  readonly #held = new Map<number, Row>()
  readonly #hours = new Map<number, Hour>()
  #indexes: IndexCheck | null = null

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#chunks = bySeq<Row>(db, 'projection', 'last, wall, shape, call')
    const shapes = db.prepare('SELECT id, client, tool, secret, outcome, event, rule, approver FROM shapes')
    shapes.setReturnArrays(true)
    for (const shape of shapes.iterate()) {
      // Integers of a STRICT table, in an array as asked for.
      const [id, ...fields] = shape as unknown as [number, ...Shape]
      this.#shapes.set(id, fields)
    }
  }

  follow(entry: Placed): void {
    this.#indexes ??= new IndexCheck(entry.seq)
    const placement = place(entry, this.#open)
    if (placement.does === 'close') {
      const { row, shape } = placement
      this.#compare(this.#held.get(row.seq), { ...entry, seq: row.seq, wall: row.wall, shape }, entry.seq)
      this.#held.delete(row.seq)
      return
    }
    const shown = this.#next()
    if (shown && shown[0] < entry.seq) throw differs(shown[0])
    if (placement.does === 'open' && shown) this.#held.set(entry.seq, shown)
    else this.#compare(shown, entry, entry.seq)
  }

  /** At the end of the ledger: nothing more may be shown, and the counts must be those of the rows. */
  async finish(): Promise<void> {
    for (const [call, row] of this.#open) this.#compare(this.#held.get(row.seq), { ...row, call }, null)
    const more = this.#next()
    if (more) throw differs(more[0])
    this.#compareCounts()
    this.#compareHours()
    await this.#indexes?.check(
      this.#db,
      [...this.#open.values()].map(({ seq }) => seq),
    )
  }

  #next(): Row | undefined {
    if (this.#at === this.#rows.length) {
      this.#rows = this.#chunks.next().value ?? []
      this.#at = 0
    }
    return this.#rows[this.#at++]
  }

  #compare(shown: Row | undefined, entry: Pick<Placed, 'seq' | 'wall' | 'call' | 'shape'>, last: number | null): void {
    if (shown === undefined) throw differs(entry.seq)
    const [seq, shownLast, wall, shapeId, call] = shown
    const same = seq === entry.seq && shownLast === last && wall === entry.wall && call === entry.call
    if (!same || !isSame(this.#shapes.get(shapeId), entry.shape)) throw differs(entry.seq)
    this.#count(entry.seq, wall, shapeId)
    this.#indexes?.note(seq, shapeId, call)
  }

  #count(seq: number, wall: number, shape: number): void {
    let hour = this.#hours.get(hourOf(wall))
    if (hour === undefined) this.#hours.set(hourOf(wall), (hour = { counts: new Map(), first: seq, last: seq }))
    hour.counts.set(shape, (hour.counts.get(shape) ?? 0) + 1)
    hour.first = Math.min(hour.first, seq)
    hour.last = Math.max(hour.last, seq)
  }

  #compareCounts(): void {
    const expected = [...this.#hours.values()].reduce((sum, { counts }) => sum + counts.size, 0)
    let shown = 0
    for (const { slot, pairs } of this.#db.prepare('SELECT slot, pairs FROM counts').iterate()) {
      const hour = this.#hours.get(hourOfSlot(Number(slot)))
      const counts = unpackCounts(pairs)
      for (let at = 0; at < counts.length; at += 2) {
        const shape = counts[at] ?? 0
        if (hour?.counts.get(shape) !== counts[at + 1]) throw new Tampered(hour?.first ?? 0, COUNTS)
        // Counted once: the same pair a second time, in whatever slot, no longer fits.
        hour?.counts.delete(shape)
        shown += 1
      }
    }
    if (shown !== expected) throw new Tampered(0, COUNTS)
  }

  /** Wider than needed does no harm (rows were pruned); narrower would hide rows. */
  #compareHours(): void {
    const span = this.#db.prepare('SELECT first, last FROM hours WHERE hour = ?')
    for (const [hour, { first, last }] of this.#hours) {
      const shown = span.get(hour)
      const wide = Number(shown?.['first'] ?? Infinity) <= first && Number(shown?.['last'] ?? -Infinity) >= last
      if (!wide) throw new Tampered(first, 'The hours shown are not those recorded.')
    }
  }
}

function isSame(shown: Shape | undefined, shape: Shape): boolean {
  for (let at = 0; at < shape.length; at++) if (shown?.[at] !== shape[at]) return false
  return true
}

const COUNTS = 'The counts shown are not those of the entries.'

function differs(seq: number): Tampered {
  return new Tampered(seq, `What is shown for entry ${seq} is not what was recorded.`)
}
