// Rows that decide: policies, clients, grants and settings. Each carries a MAC under the row key, and a root carries the list of
// all of them, so that an edited, replayed, added or deleted row is found. What is found is refused: never used, and never
// replaced by anything wider. After opening, memory is the truth and the file follows it.

import { timingSafeEqual } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { macOf, subkey } from './keys.ts'
import { inTransaction } from './store.ts'

export type RowKind = 'policy' | 'client' | 'grant' | 'setting'

/** Remembered outside the file, so that the whole file rolled back to an older copy is found too. */
export interface RootMark {
  generation: number
  mac: string
}

export interface Rows {
  /** Bodies are frozen. */
  list: (kind: RowKind) => { id: string; body: unknown }[]
  get: (kind: RowKind, id: string) => unknown
  put: (kind: RowKind, id: string, body: unknown) => void
  remove: (kind: RowKind, id: string) => void
  /** Rows that are not as we left them, deleted ones included. */
  readonly refused: readonly { kind: RowKind; id: string }[]
  /** The set of rows is the one we left: none deleted, added or replayed, and the root is ours. An edit alone is in `refused`. */
  readonly intact: boolean
  readonly mark: RootMark
  /** Looks again when another connection wrote to the file. */
  recheck: () => 'unchanged' | 'tampered'
  /** A person has seen what happened: refused rows are dropped and the rest is signed anew. */
  accept: () => void
}

export interface RowsOptions {
  /** Generation that is remembered outside; later ones count on from there. */
  floor?: number
  /** Called after every change, with what should be remembered outside. */
  onRoot?: (mark: RootMark) => void
}

type Key = `${RowKind}/${string}`
type Found = { body: string; mac: string; genuine: boolean }

export const ROWS_SCHEMA = `
  CREATE TABLE rows (kind TEXT NOT NULL CHECK (kind IN ('policy', 'client', 'grant', 'setting')), id TEXT NOT NULL, body TEXT NOT NULL, mac TEXT NOT NULL, PRIMARY KEY (kind, id)) STRICT, WITHOUT ROWID;
  CREATE TABLE root (only_one INTEGER PRIMARY KEY CHECK (only_one = 1), generation INTEGER NOT NULL, list TEXT NOT NULL, mac TEXT NOT NULL) STRICT;
`

/** Has anybody ever signed rows in this file? */
export function hasRoot(db: DatabaseSync): boolean {
  return db.prepare('SELECT 1 FROM root').get() !== undefined
}

/** A file without a root and without rows is new; it gets its root with its first row. */
export function openRows(db: DatabaseSync, rowKey: Buffer, { floor = 0, onRoot = () => {} }: RowsOptions = {}): Rows {
  const key = subkey(rowKey, 'rows v1')
  const rowMac = (kind: string, id: string, body: string) => macOf(key, ['row', kind, id, body]).toString('hex')
  const rootMac = (generation: number, list: string) => macOf(key, ['root', generation, list]).toString('hex')

  const upsert = db.prepare('INSERT INTO rows VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET body = excluded.body, mac = excluded.mac')
  const drop = db.prepare('DELETE FROM rows WHERE kind = ? AND id = ?')
  const signRoot = db.prepare(
    'INSERT INTO root VALUES (1, ?, ?, ?) ON CONFLICT DO UPDATE SET generation = excluded.generation, list = excluded.list, mac = excluded.mac',
  )

  /** What the root says there should be, refused rows included: they stay refused over a restart until a person accepts. */
  let expected = new Map<Key, string>()
  /** By kind, then by id: several are read for every call, and putting a key together would take longer than finding it. */
  const bodies = new Map<RowKind, Map<string, unknown>>()
  const bodiesOf = (kind: RowKind): Map<string, unknown> => {
    const found = bodies.get(kind) ?? new Map<string, unknown>()
    if (found.size === 0) bodies.set(kind, found)
    return found
  }
  let refused = new Map<Key, { kind: RowKind; id: string }>()
  let intact = true
  let mark: RootMark = { generation: floor, mac: '' }
  let seen = dataVersion(db)

  const found = (): Map<Key, Found> => {
    const rows = db.prepare('SELECT kind, id, body, mac FROM rows ORDER BY kind, id').all()
    return new Map(
      rows.map(({ kind, id, body, mac }) => {
        const [k, i, b, m] = [String(kind), String(id), String(body), String(mac)]
        return [`${k}/${i}` as Key, { body: b, mac: m, genuine: same(m, rowMac(k, i, b)) }]
      }),
    )
  }

  /** Sets the file against what is expected; whatever differs is refused. Returns whether anything new was found. */
  const examine = (rows: Map<Key, Found>): boolean => {
    const before = refused.size + Number(!intact)
    const refuse = (key: Key) => {
      const { kind, id } = partsOf(key)
      refused.set(key, { kind, id })
      bodiesOf(kind).delete(id)
    }
    for (const [key, mac] of expected) {
      const row = rows.get(key)
      if (row?.genuine && same(row.mac, mac)) continue
      refuse(key)
      // An edit leaves the MAC behind; a row that is gone, or genuine but not the latest, was deleted or replayed.
      if (row === undefined || row.genuine) intact = false
    }
    for (const key of rows.keys()) {
      if (expected.has(key)) continue
      refuse(key)
      intact = false
    }
    return refused.size + Number(!intact) !== before
  }

  const readRoot = (): { generation: number; list: string; mac: string } | null => {
    const root = db.prepare('SELECT generation, list, mac FROM root').get()
    if (root === undefined) return null
    const [generation, list, mac] = [Number(root['generation']), String(root['list']), String(root['mac'])]
    return same(mac, rootMac(generation, list)) ? { generation, list, mac } : null
  }

  /** One transaction: the change, and the root that lists it. Memory follows only when it is on disk. */
  const commit = (next: Map<Key, string>, change: () => void): void => {
    const list = JSON.stringify([...next].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    const generation = Math.max(mark.generation, floor) + 1
    const mac = rootMac(generation, list)
    inTransaction(db, () => {
      change()
      signRoot.run(generation, list, mac)
    })
    expected = next
    mark = { generation, mac }
    onRoot(mark)
  }

  const rows = found()
  const root = readRoot()
  if (root !== null) {
    // The MAC says that we wrote it, so its shape is ours.
    expected = new Map(JSON.parse(root.list) as [Key, string][])
    mark = { generation: root.generation, mac: root.mac }
  } else if (rows.size > 0 || hasRoot(db)) intact = false
  for (const [key, row] of rows) {
    const { kind, id } = partsOf(key)
    if (row.genuine) bodiesOf(kind).set(id, frozen(row.body))
  }
  examine(rows)

  const settle = (key: Key): void => {
    refused.delete(key)
  }

  return {
    list: (kind) => Array.from(bodiesOf(kind), ([id, body]) => ({ id, body })),
    get: (kind, id) => bodiesOf(kind).get(id) ?? null,
    put: (kind, id, body) => {
      const text = JSON.stringify(body)
      const mac = rowMac(kind, id, text)
      commit(new Map(expected).set(`${kind}/${id}`, mac), () => upsert.run(kind, id, text, mac))
      bodiesOf(kind).set(id, frozen(text))
      settle(`${kind}/${id}`)
    },
    remove: (kind, id) => {
      const next = new Map(expected)
      next.delete(`${kind}/${id}`)
      commit(next, () => drop.run(kind, id))
      bodiesOf(kind).delete(id)
      settle(`${kind}/${id}`)
    },
    get refused() {
      return [...refused.values()]
    },
    get intact() {
      return intact
    },
    get mark() {
      return mark
    },
    recheck: () => {
      const now = dataVersion(db)
      if (now === seen) return 'unchanged'
      seen = now
      const news = examine(found())
      if ((readRoot()?.mac ?? '') === mark.mac) return news ? 'tampered' : 'unchanged'
      intact = false
      return 'tampered'
    },
    accept: () => {
      const next = new Map([...expected].filter(([key]) => !refused.has(key)))
      commit(next, () => {
        for (const { kind, id } of refused.values()) drop.run(kind, id)
      })
      refused = new Map()
      intact = true
    },
  }
}

/** Whoever forces another kind upon the table has it refused like any row that is not ours. */
function partsOf(key: Key): { kind: RowKind; id: string } {
  const slash = key.indexOf('/')
  return { kind: key.slice(0, slash) as RowKind, id: key.slice(slash + 1) }
}

/** Several are read for every call, so they are handed out as they are; nobody can change what they decide by. */
function frozen(text: string): unknown {
  const body: unknown = JSON.parse(text, (_, value: unknown) => Object.freeze(value))
  return body
}

/** Counts the commits of other connections. */
export function dataVersion(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA data_version').get()?.['data_version'])
}

function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
