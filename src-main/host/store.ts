// Opening a SQLite file of ours: private whatever the umask, durable, migrated, and never trusted when it is damaged or newer.

import { chmodSync, closeSync, constants, existsSync, fchmodSync, openSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { folderInTheWay } from '../link/trust.ts'

/** The file cannot be trusted. Nobody is served from it until a person decides what to do. */
export class DamagedStore extends Error {
  override name = 'DamagedStore'
}

/** The file is fine but from the future; writing to it could lose what we do not know of. */
export class NewerStore extends Error {
  override name = 'NewerStore'
}

export interface StoreOptions {
  /** `quick` reads the whole file; a large log leaves that to its own verification. */
  check?: 'quick' | 'none'
}

/** Each migration is one script; the database's user_version counts those it has had. */
export function openStore(file: string, migrations: readonly string[], { check = 'quick' }: StoreOptions = {}): DatabaseSync {
  makePrivate(file)
  const name = path.basename(file)
  let db: DatabaseSync | null = null
  try {
    // Waiting for somebody else's lock stops everything, so it is short.
    db = new DatabaseSync(file, { timeout: 1000 })
    const version = userVersion(db)
    if (version > migrations.length) {
      throw new NewerStore(
        `${name} was written by a newer Countersign (format ${version}, this one knows ${migrations.length}). Update Countersign and start it again.`,
      )
    }
    if (check === 'quick') quickCheck(db, name)
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF')
    migrate(db, migrations)
    expectOwnTables(db, migrations, name)
    return db
  } catch (error) {
    db?.close()
    throw asDamage(error, name)
  }
}

/** What SQLite says of a file that it cannot make sense of, as a sentence; anything else as it is. */
export function asDamage(error: unknown, name: string): unknown {
  return isDamage(error) ? new DamagedStore(`${name} is damaged and cannot be read.`, { cause: error }) : error
}

export function inTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    // A full disk makes SQLite roll back by itself.
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** Throws DamagedStore when SQLite finds the file inconsistent. */
export function quickCheck(db: DatabaseSync, name: string): void {
  const found = db.prepare('PRAGMA quick_check(1)').get()?.['quick_check']
  if (found !== 'ok') throw new DamagedStore(`${name} is damaged: SQLite finds it inconsistent.`)
}

/** SQLITE_CORRUPT and SQLITE_NOTADB, with or without their extended parts. */
export function isDamage(error: unknown): boolean {
  if (!(error instanceof Error) || !('errcode' in error)) return false
  const code = Number(error.errcode) & 0xff
  return code === 11 || code === 26
}

/** SQLite gives -wal and -shm the mode of the database itself, so the file is made here, before SQLite sees it. */
export function makePrivate(file: string): void {
  const inTheWay = folderInTheWay(file)
  if (inTheWay !== null) throw new DamagedStore(inTheWay)
  const fd = openSync(file, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o600)
  try {
    fchmodSync(fd, 0o600)
  } finally {
    closeSync(fd)
  }
  for (const beside of [`${file}-wal`, `${file}-shm`]) if (existsSync(beside)) chmodSync(beside, 0o600)
}

function userVersion(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.['user_version'])
}

function migrate(db: DatabaseSync, migrations: readonly string[]): void {
  for (let version = userVersion(db); version < migrations.length; version++) {
    inTransaction(db, () => {
      db.exec(migrations[version] ?? '')
      db.exec(`PRAGMA user_version = ${version + 1}`)
    })
  }
}

/** A file with our version but other tables was put there by somebody else. */
function expectOwnTables(db: DatabaseSync, migrations: readonly string[], name: string): void {
  const model = new DatabaseSync(':memory:')
  try {
    migrate(model, migrations)
    if (namesIn(db) !== namesIn(model)) throw new DamagedStore(`${name} does not have the tables it should have.`)
  } finally {
    model.close()
  }
}

function namesIn(db: DatabaseSync): string {
  const found = db
    .prepare("SELECT type || ' ' || name AS entry FROM sqlite_schema WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY 1")
    .all()
  return found.map(({ entry }) => String(entry)).join('\n')
}
