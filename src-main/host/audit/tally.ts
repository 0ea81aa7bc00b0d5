import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Shape } from './projection.ts'
import { hourOf } from './schema.ts'

const CACHED = 20_000

/** Numbers for shapes, and the counts per hour and shape, gathered over a batch and written once at its end. */
export class Tally {
  readonly #ids = new Map<string, number>()
  readonly #counts = new Map<string, { hour: number; shape: number; count: number }>()
  readonly #hours = new Map<number, { first: number; last: number }>()
  readonly #find: StatementSync
  readonly #add: StatementSync
  readonly #total: StatementSync
  readonly #count: StatementSync
  readonly #emptied: StatementSync
  readonly #span: StatementSync

  constructor(db: DatabaseSync) {
    this.#find = db.prepare(
      'SELECT id FROM shapes WHERE client = ? AND tool = ? AND secret = ? AND outcome = ? AND event = ? AND rule = ? AND approver = ?',
    )
    this.#add = db.prepare(
      'INSERT INTO shapes (client, tool, secret, outcome, event, rule, approver, count) VALUES (?, ?, ?, ?, ?, ?, ?, 0)',
    )
    this.#total = db.prepare('UPDATE shapes SET count = count + ? WHERE id = ?')
    this.#count = db.prepare(
      'INSERT INTO counts (hour, shape, count) VALUES (?, ?, ?) ON CONFLICT (hour, shape) DO UPDATE SET count = count + excluded.count',
    )
    this.#emptied = db.prepare('DELETE FROM counts WHERE hour = ? AND shape = ? AND count = 0')
    this.#span = db.prepare(
      `INSERT INTO hours (hour, first, last) VALUES (?, ?, ?)
       ON CONFLICT (hour) DO UPDATE SET first = min(first, excluded.first), last = max(last, excluded.last)`,
    )
  }

  idOf(shape: Shape): number {
    const key = shape.join(' ')
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    const found = this.#find.get(...shape)?.['id']
    const id = typeof found === 'number' ? found : Number(this.#add.run(...shape).lastInsertRowid)
    if (this.#ids.size >= CACHED) this.#ids.clear()
    this.#ids.set(key, id)
    return id
  }

  add(wall: number, shape: number, count: number): void {
    const hour = hourOf(wall)
    const key = `${hour} ${shape}`
    const entry = this.#counts.get(key)
    if (entry === undefined) this.#counts.set(key, { hour, shape, count })
    else entry.count += count
  }

  spans(wall: number, seq: number): void {
    const hour = hourOf(wall)
    const span = this.#hours.get(hour)
    if (span === undefined) this.#hours.set(hour, { first: seq, last: seq })
    else span.last = seq
  }

  write(): void {
    for (const { hour, shape, count } of this.#counts.values()) {
      if (count === 0) continue
      this.#count.run(hour, shape, count)
      if (count < 0) this.#emptied.run(hour, shape)
      this.#total.run(count, shape)
    }
    for (const [hour, { first, last }] of this.#hours) this.#span.run(hour, first, last)
    this.#counts.clear()
    this.#hours.clear()
  }

  /** After a rollback, or when shapes were removed. */
  forget(): void {
    this.#ids.clear()
    this.#counts.clear()
    this.#hours.clear()
  }
}
