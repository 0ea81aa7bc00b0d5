import { DatabaseSync } from 'node:sqlite'

export const FILE = 'audit.db'

/** Written into the file, so that an older program never writes into a newer log. */
export const VERSION = 1

/**
 * `ledger` is the chained truth; everything else can be rebuilt from it. Strings that repeat stand once in `words`, because a
 * million entries spelled out would take 400 MB. The MAC covers the spelled-out entry, so words are as protected as bodies.
 *
 * `projection` has a row per call or system entry (`last` is null while an intent awaits its outcome). What rows are filtered
 * and counted by lies in `shapes`, one per combination that ever occurred: a filter picks shapes, and every count is a sum
 * over them. `counts` has how often each shape occurred in an hour, packed (see counts.ts); `hours` between which seqs the rows
 * of an hour lie. Numbers of words and shapes are never given out twice, so that the reader may remember them.
 */
const DDL = [
  'CREATE TABLE ledger (seq INTEGER PRIMARY KEY, body TEXT NOT NULL, mac BLOB NOT NULL) STRICT',
  'CREATE TABLE words (id INTEGER PRIMARY KEY AUTOINCREMENT, word TEXT NOT NULL UNIQUE) STRICT',
  `CREATE TABLE shapes (id INTEGER PRIMARY KEY AUTOINCREMENT, client INTEGER NOT NULL, tool INTEGER NOT NULL, secret INTEGER NOT NULL,
    outcome INTEGER NOT NULL, event INTEGER NOT NULL, rule INTEGER NOT NULL, approver INTEGER NOT NULL,
    UNIQUE (client, tool, secret, outcome, event, rule, approver)) STRICT`,
  'CREATE TABLE projection (seq INTEGER PRIMARY KEY, last INTEGER, wall INTEGER NOT NULL, shape INTEGER NOT NULL, call TEXT) STRICT',
  'CREATE INDEX projection_shape ON projection (shape)',
  'CREATE INDEX projection_call ON projection (substr(call, -8)) WHERE call IS NOT NULL',
  'CREATE INDEX projection_open ON projection (seq) WHERE last IS NULL',
  'CREATE TABLE counts (slot INTEGER PRIMARY KEY, pairs BLOB NOT NULL) STRICT',
  'CREATE TABLE hours (hour INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL) STRICT',
  'CREATE INDEX hours_last ON hours (last)',
]

export const HOUR = 3_600_000

export function hourOf(wall: number): number {
  return Math.floor(wall / HOUR)
}

export function openForWriting(path: string): DatabaseSync {
  // A short wait: it blocks the host, and nobody else has a reason to hold this file.
  const db = new DatabaseSync(path, { timeout: 200 })
  try {
    db.exec('PRAGMA trusted_schema = OFF')
  } catch (error) {
    db.close()
    throw error
  }
  return db
}

/**
 * On a file that is new or known to be ours: durable commits, and space given back after pruning. What the WAL holds is brought
 * into the database when it is 16 MB long: the same few pages change with every call, so the later, the less there is to write.
 */
export function makeDurable(db: DatabaseSync): void {
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON;
    PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 16777216; PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY`)
}

export function openForReading(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 2000 })
  db.exec('PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY')
  return db
}

export function createTables(db: DatabaseSync): void {
  db.exec('PRAGMA auto_vacuum = INCREMENTAL')
  db.exec(`BEGIN IMMEDIATE; ${DDL.join(';')}; PRAGMA user_version = ${VERSION}; COMMIT`)
}

export function versionOf(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.['user_version'])
}

/** `none` for an empty database; `other` if a table, index, trigger or view is not exactly as we make it. */
export function tablesOf(db: DatabaseSync): 'ours' | 'none' | 'other' {
  const found = definitions(db)
  if (found.length === 0) return 'none'
  const model = new DatabaseSync(':memory:')
  try {
    model.exec(DDL.join(';'))
    return JSON.stringify(found) === JSON.stringify(definitions(model)) ? 'ours' : 'other'
  } finally {
    model.close()
  }
}

function definitions(db: DatabaseSync): unknown[] {
  return db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all()
}
