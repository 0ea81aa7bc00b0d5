import type { DatabaseSync } from 'node:sqlite'

const ROWS = 500

/**
 * Every row of a table by its seq, as arrays whose first element is the seq. Fetched by the hundreds, which takes half the time
 * of SQLite's own iterator. `columns` are those of a STRICT table, in the types that the caller names.
 */
export function* bySeq<Row extends [seq: number, ...rest: unknown[]]>(
  db: DatabaseSync,
  table: 'ledger' | 'projection',
  columns: string,
): Generator<Row> {
  const next = db.prepare(`SELECT seq, ${columns} FROM ${table} WHERE seq > ? ORDER BY seq LIMIT ${ROWS}`)
  next.setReturnArrays(true)
  let after = Number.MIN_SAFE_INTEGER
  for (;;) {
    // Arrays were asked for, although the types speak of objects.
    const rows = next.all(after) as unknown as Row[]
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < ROWS) return
    after = last[0]
  }
}
