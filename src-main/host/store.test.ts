import { closeSync, mkdirSync, openSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, expect, test } from 'vitest'
import { DamagedStore, inTransaction, NewerStore, openStore } from './store.ts'
import { tempFolder } from './vault/testing.ts'

const MIGRATIONS = ['CREATE TABLE notes (text TEXT) STRICT']
const umask = process.umask()
afterEach(() => process.umask(umask))

function filled(): string {
  const file = path.join(tempFolder(), 'a.db')
  const db = openStore(file, MIGRATIONS)
  const add = db.prepare('INSERT INTO notes VALUES (?)')
  inTransaction(db, () => {
    for (let i = 0; i < 500; i++) add.run(`note ${i} ${'x'.repeat(200)}`)
  })
  db.close()
  return file
}

test.each([0o000, 0o077, 0o777])('the database and its companions are 0600 under umask %o', (mask) => {
  const folder = tempFolder()
  process.umask(mask)
  const db = openStore(path.join(folder, 'a.db'), MIGRATIONS)
  db.exec("INSERT INTO notes VALUES ('x')")
  for (const name of ['a.db', 'a.db-wal', 'a.db-shm']) expect([name, statSync(path.join(folder, name)).mode & 0o777]).toEqual([name, 0o600])
  db.close()
})

test('a database that others could read becomes private when it is opened', () => {
  const file = path.join(tempFolder(), 'a.db')
  writeFileSync(file, '', { mode: 0o666 })
  openStore(file, MIGRATIONS).close()
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a folder in the place of a database is told in a sentence that says what to do', () => {
  const file = path.join(tempFolder(), 'vault.db')
  mkdirSync(file)
  const sentence = `There is a folder at '${file}', where Countersign needs a file. Move it away, then start Countersign again.`
  expect(() => openStore(file, MIGRATIONS)).toThrow(new DamagedStore(sentence))
})

test('every commit is on disk before it counts', () => {
  const db = openStore(path.join(tempFolder(), 'a.db'), MIGRATIONS)
  expect(db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
  expect(db.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 })
  expect(db.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 1000 })
  db.close()
})

test('a database that is a link to somewhere else is refused', () => {
  const folder = tempFolder()
  symlinkSync(path.join(folder, 'elsewhere'), path.join(folder, 'a.db'))
  expect(() => openStore(path.join(folder, 'a.db'), MIGRATIONS)).toThrow('ELOOP')
})

test('an older database is brought up to date and keeps its rows', () => {
  const file = filled()
  const db = openStore(file, [...MIGRATIONS, 'ALTER TABLE notes ADD COLUMN colour TEXT'])
  expect(db.prepare('SELECT count(*) AS n, count(colour) AS c FROM notes').get()).toEqual({ n: 500, c: 0 })
  db.close()
})

test('a migration that fails leaves the database as it was', () => {
  const file = filled()
  expect(() => openStore(file, [...MIGRATIONS, 'CREATE TABLE more (x); CREATE TABLE notes (y)'])).toThrow('already exists')
  openStore(file, MIGRATIONS).close()
})

test('a database newer than the program is refused with a sentence and left alone', () => {
  const file = filled()
  const newer = new DatabaseSync(file)
  newer.exec('PRAGMA user_version = 7')
  newer.close()
  const before = readFileSync(file)
  const open = () => openStore(file, MIGRATIONS)
  expect(open).toThrow(NewerStore)
  expect(open).toThrow('a.db was written by a newer Countersign (format 7, this one knows 1). Update Countersign and start it again.')
  expect(readFileSync(file).equals(before)).toBe(true)
})

test.each([
  ['its header overwritten', (file: string) => scribble(file, 0, 100)],
  ['a page in the middle overwritten', (file: string) => scribble(file, 8 * 4096, 4096)],
  ['its end cut off', (file: string) => truncateSync(file, 6 * 4096)],
  ['something else in its place', (file: string) => writeFileSync(file, 'hello '.repeat(2000))],
])('a database with %s counts as damaged', (_, harm) => {
  const file = filled()
  harm(file)
  expect(() => openStore(file, MIGRATIONS)).toThrow(DamagedStore)
})

test('a database with tables that are not ours counts as damaged', () => {
  const file = filled()
  const other = new DatabaseSync(file)
  other.exec('CREATE TRIGGER eavesdrop AFTER INSERT ON notes BEGIN DELETE FROM notes; END')
  other.close()
  expect(() => openStore(file, MIGRATIONS)).toThrow(DamagedStore)
})

test('work that throws inside a transaction changes nothing', () => {
  const db = openStore(path.join(tempFolder(), 'a.db'), MIGRATIONS)
  const work = () =>
    inTransaction(db, () => {
      db.exec("INSERT INTO notes VALUES ('x')")
      throw new Error('no')
    })
  expect(work).toThrow('no')
  expect(db.prepare('SELECT count(*) AS n FROM notes').get()).toEqual({ n: 0 })
  db.close()
})

function scribble(file: string, at: number, bytes: number): void {
  const fd = openSync(file, 'r+')
  writeSync(fd, Buffer.alloc(bytes, 0xa5), 0, bytes, at)
  closeSync(fd)
}
