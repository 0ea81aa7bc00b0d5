import path from 'node:path'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openRows, type Rows } from './rows.ts'
import { openStore } from './store.ts'
import { VAULT_MIGRATIONS } from './vault/schema.ts'
import { tempFolder } from './vault/testing.ts'

const KEY = Buffer.alloc(32, 7)
const WIDE = { name: 'work', allow: ['*'] }
const NARROW = { name: 'work', allow: ['work/*'] }

interface Opened {
  rows: Rows
  /** Another program's connection to the same file. */
  outside: DatabaseSync
  reopen: (key?: Buffer) => Rows
}

function opened(): Opened {
  const file = path.join(tempFolder(), 'vault.db')
  let db = openStore(file, VAULT_MIGRATIONS)
  const outside = new DatabaseSync(file)
  onTestFinished(() => {
    outside.close()
    db.close()
  })
  const reopen = (key: Buffer = KEY) => {
    db.close()
    db = openStore(file, VAULT_MIGRATIONS)
    return openRows(db, key)
  }
  return { rows: openRows(db, KEY), outside, reopen }
}

const rowOf = (db: DatabaseSync, id: string) => db.prepare('SELECT * FROM rows WHERE id = ?').get(id) ?? {}
function putBack(db: DatabaseSync, row: Record<string, SQLOutputValue>): void {
  const { kind = null, id = null, body = null, mac = null } = row
  db.prepare('INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?)').run(kind, id, body, mac)
}

test('rows come back as they were put, by kind', () => {
  const { rows, reopen } = opened()
  rows.put('policy', 'work', NARROW)
  rows.put('client', 'work', { id: 'work' })
  rows.put('setting', 'gone', 1)
  rows.remove('setting', 'gone')
  for (const look of [rows, reopen()]) {
    expect(look.list('policy')).toEqual([{ id: 'work', body: NARROW }])
    expect(look.get('client', 'work')).toEqual({ id: 'work' })
    expect(look.get('setting', 'gone')).toBeNull()
    expect([look.intact, look.refused]).toEqual([true, []])
  }
})

test('what is handed out cannot be used to change what is kept', () => {
  const { rows } = opened()
  rows.put('policy', 'work', NARROW)
  const seen = rows.get('policy', 'work') as typeof NARROW
  expect(() => seen.allow.push('*')).toThrow(TypeError)
  expect(rows.get('policy', 'work')).toEqual(NARROW)
})

test('an edited row is refused and the others go on', () => {
  const { rows, outside, reopen } = opened()
  rows.put('policy', 'work', NARROW)
  rows.put('policy', 'home', NARROW)
  outside.prepare('UPDATE rows SET body = ? WHERE id = ?').run(JSON.stringify(WIDE), 'work')
  const after = reopen()
  expect(after.get('policy', 'work')).toBeNull()
  expect(after.refused).toEqual([{ kind: 'policy', id: 'work' }])
  expect(after.get('policy', 'home')).toEqual(NARROW)
})

test('the MAC of one row does not serve another', () => {
  const { rows, outside, reopen } = opened()
  rows.put('policy', 'wide', WIDE)
  rows.put('policy', 'work', NARROW)
  const wide = rowOf(outside, 'wide')
  putBack(outside, { ...wide, id: 'work' })
  const after = reopen()
  expect(after.get('policy', 'work')).toBeNull()
  expect(after.refused).toEqual([{ kind: 'policy', id: 'work' }])
})

test('an older state of a row, put back, is found', () => {
  const { rows, outside, reopen } = opened()
  rows.put('policy', 'work', WIDE)
  const old = rowOf(outside, 'work')
  rows.put('policy', 'work', NARROW)
  putBack(outside, old)
  const after = reopen()
  expect(after.get('policy', 'work')).toBeNull()
  expect([after.intact, after.refused]).toEqual([false, [{ kind: 'policy', id: 'work' }]])
})

test('a revoked grant, put back, is found', () => {
  const { rows, outside, reopen } = opened()
  rows.put('grant', 'g1', { covers: 'reads' })
  const old = rowOf(outside, 'g1')
  rows.remove('grant', 'g1')
  putBack(outside, old)
  const after = reopen()
  expect(after.list('grant')).toEqual([])
  expect([after.intact, after.refused]).toEqual([false, [{ kind: 'grant', id: 'g1' }]])
})

test('a deleted row is found, and stays found when others change', () => {
  const { rows, outside, reopen } = opened()
  rows.put('setting', 'pin', 'hash')
  outside.exec("DELETE FROM rows WHERE id = 'pin'")
  const after = reopen()
  expect([after.intact, after.refused]).toEqual([false, [{ kind: 'setting', id: 'pin' }]])
  after.put('policy', 'work', NARROW)
  const later = reopen()
  expect([later.intact, later.refused]).toEqual([false, [{ kind: 'setting', id: 'pin' }]])
})

test.each([
  ['edited', "UPDATE root SET list = '[]'"],
  ['deleted', 'DELETE FROM root'],
])('with its root %s no row is used', (_, sql) => {
  const { rows, outside, reopen } = opened()
  rows.put('policy', 'work', WIDE)
  outside.exec(sql)
  const after = reopen()
  expect(after.list('policy')).toEqual([])
  expect([after.intact, after.refused]).toEqual([false, [{ kind: 'policy', id: 'work' }]])
})

test('under another key no row is used', () => {
  const { rows, reopen } = opened()
  rows.put('policy', 'work', WIDE)
  const after = reopen(Buffer.alloc(32, 8))
  expect([after.list('policy'), after.intact]).toEqual([[], false])
})

test('an edit while we run is noticed once, and the row is used no longer', () => {
  const { rows, outside } = opened()
  rows.put('policy', 'work', NARROW)
  expect(rows.recheck()).toBe('unchanged')
  outside.prepare('UPDATE rows SET body = ?').run(JSON.stringify(WIDE))
  expect(rows.recheck()).toBe('tampered')
  expect(rows.get('policy', 'work')).toBeNull()
  expect(rows.recheck()).toBe('unchanged')
})

test('a deletion while we run is noticed', () => {
  const { rows, outside } = opened()
  rows.put('client', 'cursor', { id: 'cursor' })
  outside.exec('DELETE FROM rows')
  expect([rows.recheck(), rows.intact, rows.get('client', 'cursor')]).toEqual(['tampered', false, null])
})

test('a root edited while we run is noticed', () => {
  const { rows, outside } = opened()
  rows.put('client', 'cursor', { id: 'cursor' })
  outside.exec('UPDATE root SET generation = generation + 1')
  expect([rows.recheck(), rows.intact]).toEqual(['tampered', false])
})

test('our own changes and foreign writes to other tables are no tampering', () => {
  const { rows, outside } = opened()
  rows.put('client', 'cursor', { id: 'cursor' })
  outside.exec("INSERT INTO secrets VALUES ('x', 1, NULL, '[]', NULL, '', NULL, 'ok')")
  expect([rows.recheck(), rows.intact]).toEqual(['unchanged', true])
})

test('a row of a kind that nobody knows, forced upon the table under a running host, is refused like any other', () => {
  const { rows, outside } = opened()
  rows.put('policy', 'work', NARROW)
  outside.exec(`PRAGMA ignore_check_constraints = ON; INSERT INTO rows VALUES ('spell', 'x', '{}', '00')`)
  expect(rows.recheck()).toBe('tampered')
  expect([rows.intact, rows.refused]).toEqual([false, [{ kind: 'spell', id: 'x' }]])
  expect(rows.get('policy', 'work')).toEqual(NARROW)
})

test('once a person accepts, refused rows are gone and everything is signed again', () => {
  const { rows, outside, reopen } = opened()
  rows.put('policy', 'work', NARROW)
  rows.put('policy', 'home', NARROW)
  outside.prepare('UPDATE rows SET body = ? WHERE id = ?').run(JSON.stringify(WIDE), 'work')
  outside.exec("INSERT INTO rows VALUES ('grant', 'forged', '{}', 'none')")
  const after = reopen()
  expect(after.intact).toBe(false)
  after.accept()
  for (const look of [after, reopen()]) {
    expect([look.intact, look.refused]).toEqual([true, []])
    expect(look.list('policy')).toEqual([{ id: 'home', body: NARROW }])
    expect(look.list('grant')).toEqual([])
  }
})

test('a person who saves a refused row again settles it', () => {
  const { rows, outside, reopen } = opened()
  rows.put('policy', 'work', NARROW)
  outside.prepare('UPDATE rows SET body = ?').run(JSON.stringify(WIDE))
  reopen().put('policy', 'work', NARROW)
  const later = reopen()
  expect([later.intact, later.refused, later.get('policy', 'work')]).toEqual([true, [], NARROW])
})

test('what could not be written is not in memory either', () => {
  const { rows, outside } = opened()
  rows.put('policy', 'work', NARROW)
  outside.exec('CREATE TRIGGER full BEFORE UPDATE ON root BEGIN SELECT RAISE(ABORT, "disk full"); END'.replaceAll('"', "'"))
  expect(() => rows.put('policy', 'work', WIDE)).toThrow('disk full')
  expect(() => rows.remove('policy', 'work')).toThrow('disk full')
  expect(rows.get('policy', 'work')).toEqual(NARROW)
})
