import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { changedCounts, slotOf, unpackCounts } from './counts.ts'
import type { Shape } from './projection.ts'
import { hourOf } from './schema.ts'

const CACHED = 20_000

/** Numbers for shapes, and the counts per hour and shape, gathered over a batch and written once at its end. */
export class Tally {
  readonly #ids = new Map<string, number>()
  /** Changes by slot, then by shape. */
  readonly #changes = new Map<number, Map<number, number>>()
  readonly #hours = new Map<number, { first: number; last: number }>()
  readonly #find: StatementSync
  readonly #add: StatementSync
  readonly #slot: StatementSync
  readonly #writeSlot: StatementSync
  readonly #emptySlot: StatementSync
  readonly #span: StatementSync
  /** While somebody looks for shapes that no row has: those given out meanwhile. */
  #given: Set<number> | null = null

  constructor(db: DatabaseSync) {
    this.#find = db.prepare(
      'SELECT id FROM shapes WHERE client = ? AND tool = ? AND secret = ? AND outcome = ? AND event = ? AND rule = ? AND approver = ?',
    )
    this.#add = db.prepare('INSERT INTO shapes (client, tool, secret, outcome, event, rule, approver) VALUES (?, ?, ?, ?, ?, ?, ?)')
    this.#slot = db.prepare('SELECT pairs FROM counts WHERE slot = ?')
    this.#writeSlot = db.prepare('INSERT INTO counts (slot, pairs) VALUES (?, ?) ON CONFLICT (slot) DO UPDATE SET pairs = excluded.pairs')
    this.#emptySlot = db.prepare('DELETE FROM counts WHERE slot = ?')
    this.#span = db.prepare(
      `INSERT INTO hours (hour, first, last) VALUES (?, ?, ?)
       ON CONFLICT (hour) DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last)`,
    )
  }

  idOf(shape: Shape): number {
    const key = shape.join(' ')
    const id = this.#ids.get(key) ?? this.#lookUp(key, shape)
    this.#given?.add(id)
    return id
  }

  #lookUp(key: string, shape: Shape): number {
    const found = this.#find.get(...shape)?.['id']
    const id = typeof found === 'number' ? found : Number(this.#add.run(...shape).lastInsertRowid)
    if (this.#ids.size >= CACHED) this.#ids.clear()
    this.#ids.set(key, id)
    return id
  }

  add(wall: number, shape: number, count: number): void {
    const slot = slotOf(hourOf(wall), shape)
    const changes = this.#changes.get(slot) ?? new Map<number, number>()
    changes.set(shape, (changes.get(shape) ?? 0) + count)
    this.#changes.set(slot, changes)
  }

  spans(wall: number, seq: number): void {
    const hour = hourOf(wall)
    const span = this.#hours.get(hour)
    if (span === undefined) this.#hours.set(hour, { first: seq, last: seq })
    else span.last = seq
  }

  write(): void {
    for (const [slot, changes] of this.#changes) this.#change(slot, changes)
    for (const [hour, { first, last }] of this.#hours) this.#span.run(hour, first, last)
    this.#changes.clear()
    this.#hours.clear()
  }

  /** After a rollback, or when shapes were removed. */
  forget(): void {
    this.#ids.clear()
    this.#changes.clear()
    this.#hours.clear()
  }

  startWatching(): Set<number> {
    this.#given = new Set()
    return this.#given
  }

  stopWatching(): void {
    this.#given = null
  }

  #change(slot: number, changes: ReadonlyMap<number, number>): void {
    const counts = changedCounts(unpackCounts(this.#slot.get(slot)?.['pairs']), changes)
    if (counts.length > 0) this.#writeSlot.run(slot, new Uint8Array(counts.buffer, 0, counts.byteLength))
    else this.#emptySlot.run(slot)
  }
}
