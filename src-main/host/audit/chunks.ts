import type { DatabaseSync, SQLInputValue } from 'node:sqlite'

const ROWS = 500

/**
 * Every row of a table by its seq, some hundred at a time, as arrays whose first element is the seq. SQLite's own iterator takes
 * twice the time. `columns` are those of a STRICT table, in the types that the caller names.
 */
export function* bySeq<Row extends [seq: number, ...rest: unknown[]]>(
  db: DatabaseSync,
  table: 'ledger' | 'projection',
  columns: string,
): Generator<Row[]> {
  const next = arrays<Row>(db, `SELECT seq, ${columns} FROM ${table} WHERE seq > ? ORDER BY seq LIMIT ${ROWS}`)
  let after = Number.MIN_SAFE_INTEGER
  for (;;) {
    const rows = next(after)
    yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < ROWS) return
    after = last[0]
  }
}

/** Every entry of an index of the projection over `key`, in the same way. `first` is less than every key, or the least there is. */
export function* byKey<Key extends string | number>(
  db: DatabaseSync,
  { index, key, where, first }: { index: string; key: string; where: string; first: Key },
): Generator<[Key, seq: number][]> {
  const entries = `SELECT ${key}, seq FROM projection INDEXED BY ${index} WHERE ${where}`
  const same = arrays<[Key, number]>(db, `${entries} AND ${key} = ? AND seq > ? ORDER BY seq LIMIT ${ROWS}`)
  const next = arrays<[Key, number]>(db, `${entries} AND ${key} > ? ORDER BY ${key}, seq LIMIT ${ROWS}`)
  let last: [Key, number] = [first, Number.MIN_SAFE_INTEGER]
  for (;;) {
    // In two steps, each of which is a search in the index; "after this key and seq" would be none.
    let rows = same(...last)
    yield rows
    last = rows.at(-1) ?? last
    if (rows.length === ROWS) continue
    rows = next(last[0])
    yield rows
    if (rows.length < ROWS) return
    last = rows.at(-1) ?? last
  }
}

function arrays<Row>(db: DatabaseSync, sql: string): (...values: SQLInputValue[]) => Row[] {
  const statement = db.prepare(sql)
  statement.setReturnArrays(true)
  // Arrays were asked for, although the types speak of objects.
  return (...values) => statement.all(...values) as unknown as Row[]
}
