import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Audit } from './audit.ts'
import { appendMany, call, desk, type Desk } from './testing.ts'

/** Fifty entries, anchored, and nobody at work. */
async function written(place: Desk, changes: Parameters<Desk['open']>[0] = {}): Promise<void> {
  const audit = await place.open(changes)
  await appendMany(audit, 50)
  await audit.close()
}

const verified = async (place: Desk) => (await place.open()).verify()

const CUT_TAIL = `DELETE FROM ledger WHERE seq > 40; DELETE FROM projection WHERE seq > 40`

describe('the seven attacks without the key', () => {
  test('an edited row is found, with its seq', async () => {
    const place = desk()
    await written(place)
    place.tamper(`UPDATE ledger SET body = replace(body, 'call-16', 'call-61') WHERE seq = 17`)
    expect(await verified(place)).toMatchObject({ state: 'tampered', badSeq: 17 })
  })

  test('an edited word is found at the first row that has it', async () => {
    const place = desk()
    await written(place)
    place.tamper(`UPDATE words SET word = '"nobody"' WHERE word = '"cursor"'`)
    // Every row has it, the last one too, so this shows at the start already.
    expect(await verified(place)).toMatchObject({ state: 'tampered', breaks: [{ found: 'foreign', acknowledged: false }] })
  })

  test('a row deleted from the middle is found, with its seq', async () => {
    const place = desk()
    await written(place)
    place.tamper('DELETE FROM ledger WHERE seq = 17; DELETE FROM projection WHERE seq = 17')
    expect(await verified(place)).toMatchObject({ state: 'tampered', badSeq: 17 })
  })

  test('two rows swapped are found', async () => {
    const place = desk()
    await written(place)
    place.tamper(
      'UPDATE ledger SET seq = -1 WHERE seq = 17; UPDATE ledger SET seq = 17 WHERE seq = 18; UPDATE ledger SET seq = 18 WHERE seq = -1',
    )
    expect(await verified(place)).toMatchObject({ state: 'tampered', badSeq: 17 })
  })

  test('a row replayed at the end is found', async () => {
    const place = desk()
    await written(place)
    place.tamper('INSERT INTO ledger SELECT 51, body, mac FROM ledger WHERE seq = 50')
    expect(await verified(place)).toMatchObject({ state: 'tampered', badSeq: 52, breaks: [{ found: 'foreign' }] })
  })

  test('a tail cut off is found', async () => {
    const place = desk()
    await written(place)
    place.tamper(CUT_TAIL)
    expect(await verified(place)).toMatchObject({ state: 'behind', head: 40, anchor: 50, breaks: [{ found: 'behind', seq: 51, last: 40 }] })
  })

  test('an old copy put back is found', async () => {
    const place = desk()
    await written(place)
    copyFileSync(place.file, join(place.folder, 'old'))
    await written(place)
    copyFileSync(join(place.folder, 'old'), place.file)
    expect(await verified(place)).toMatchObject({ state: 'behind', head: 50, anchor: 100, breaks: [{ found: 'behind', seq: 101 }] })
  })

  test('another log put in its place is found, be it longer or shorter', async () => {
    for (const length of [60, 5]) {
      const place = desk()
      await written(place)
      const other = desk()
      const foreign = await other.open({ chainKey: Buffer.alloc(32, 8) })
      await appendMany(foreign, length)
      await foreign.close()
      copyFileSync(other.file, place.file)
      expect(await verified(place)).toMatchObject({ state: 'tampered', breaks: [{ found: 'foreign' }] })
    }
  })

  test('a log removed altogether is found', async () => {
    const place = desk()
    await written(place)
    rmSync(place.file)
    const missing = { found: 'missing', seq: 51, aside: null, last: null }
    expect(await verified(place)).toMatchObject({ state: 'behind', head: null, anchor: 50, breaks: [missing] })
  })
})

describe('while the host is running', () => {
  async function running(): Promise<{ place: Desk; audit: Audit }> {
    const place = desk()
    const audit = await place.open()
    await appendMany(audit, 50)
    return { place, audit }
  }

  test('a tail cut off is found by verify, although nothing of it was anchored', async () => {
    const { place, audit } = await running()
    place.tamper(CUT_TAIL)
    expect(await audit.verify()).toMatchObject({ state: 'behind', head: 40, anchor: 50 })
  })

  test('the next entry after a cut begins a segment that names it', async () => {
    const { place, audit } = await running()
    place.tamper(CUT_TAIL)
    expect(await audit.append(call())).toBe(52)
    expect(audit.breaks()).toMatchObject([{ seq: 51, found: 'behind', acknowledged: false }])
    expect(await audit.verify()).toMatchObject({ state: 'behind', head: 40, anchor: 50 })
  })

  test('a file removed or exchanged under the host is noticed before anything more is acknowledged', async () => {
    const { place, audit } = await running()
    rmSync(place.file)
    expect(await audit.append(call())).toBe(52)
    expect(audit.breaks()).toMatchObject([{ seq: 51, found: 'missing' }])
    expect(await audit.verify()).toMatchObject({ state: 'behind' })
  })

  test('an edited row is found', async () => {
    const { place, audit } = await running()
    place.tamper(`UPDATE ledger SET mac = zeroblob(32) WHERE seq = 9`)
    expect(await audit.verify()).toMatchObject({ state: 'tampered', badSeq: 9 })
  })
})

describe('what people look at', () => {
  const edits: [string, string, number][] = [
    [
      'another outcome',
      `UPDATE projection SET shape = (SELECT id FROM shapes WHERE outcome <> 0 ORDER BY id DESC LIMIT 1) WHERE seq = 17`,
      17,
    ],
    ['another time', 'UPDATE projection SET wall = wall + 1 WHERE seq = 17', 17],
    ['another call', `UPDATE projection SET call = 'x' WHERE seq = 17`, 17],
    ['a row hidden', 'DELETE FROM projection WHERE seq = 17', 17],
    ['a row invented', `INSERT INTO projection SELECT 99, 99, wall, shape, call FROM projection WHERE seq = 50`, 99],
    ['an open intent shown as done', 'UPDATE projection SET last = seq WHERE last IS NULL', 51],
    ['a shape renamed', 'UPDATE shapes SET secret = client', 1],
    ['counts changed', `UPDATE counts SET pairs = x'0100000001000000'`, 1],
    ['counts removed', 'DELETE FROM counts', 0],
    ['an hour narrowed', 'UPDATE hours SET first = first + 1', 1],
    ['a trigger added', 'CREATE TRIGGER later AFTER INSERT ON ledger BEGIN DELETE FROM projection WHERE seq = new.seq; END', 0],
  ]
  test.each(edits)('cannot be edited unnoticed: %s', async (_name, sql, badSeq) => {
    const place = desk()
    const audit = await place.open()
    await appendMany(audit, 50, (n) => ({ outcome: n % 2 === 0 ? 'allowed' : 'denied' }))
    await audit.append(call({ kind: 'intent', call: 'open', outcome: null }))
    expect((await audit.verify()).state).toBe('ok')
    place.tamper(sql)
    expect(await audit.verify()).toMatchObject({ state: 'tampered', badSeq })
  })

  test('cannot be hidden from a filter by taking it out of an index', async () => {
    const place = desk()
    const audit = await place.open()
    await appendMany(audit, 50, (n) => ({ client: n === 17 ? 'zed' : 'cursor' }))
    await audit.append(call({ kind: 'intent', call: 'open', outcome: null }))
    for (const index of ['projection_shape', 'projection_call', 'projection_open']) {
      // An index that is emptied while its table stays: what an edit of the file's pages can do, done with SQLite's own means.
      const definition = `(SELECT sql FROM sqlite_schema WHERE name = '${index}')`
      place.tamper(`PRAGMA writable_schema = ON; CREATE TEMP TABLE was AS SELECT ${definition} AS sql;
        UPDATE sqlite_schema SET sql = sql || CASE WHEN sql LIKE '% WHERE %' THEN ' AND seq < 0' ELSE ' WHERE seq < 0' END WHERE name = '${index}';
        PRAGMA writable_schema = RESET; REINDEX ${index}; PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = (SELECT sql FROM was) WHERE name = '${index}'; PRAGMA writable_schema = RESET`)
      expect(await audit.verify()).toMatchObject({ state: 'tampered', reason: 'An index of the log does not fit its rows.' })
      place.tamper(`REINDEX ${index}`)
      expect((await audit.verify()).state).toBe('ok')
    }
  })

  test('cannot be hidden from a filter by an index in another order', async () => {
    const place = desk()
    const audit = await place.open()
    await appendMany(audit, 50, (n) => ({ client: `client-${n % 5}` }))
    for (const index of ['projection_shape', 'projection_call']) {
      const definition = `(SELECT sql FROM sqlite_schema WHERE name = '${index}')`
      place.tamper(`PRAGMA writable_schema = ON; CREATE TEMP TABLE was AS SELECT ${definition} AS sql;
        UPDATE sqlite_schema SET sql = replace(replace(sql, '(shape)', '(shape DESC)'), '-8)', '-8) DESC') WHERE name = '${index}';
        PRAGMA writable_schema = RESET; REINDEX ${index}; PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = (SELECT sql FROM was) WHERE name = '${index}'; PRAGMA writable_schema = RESET`)
      expect(await audit.verify()).toMatchObject({ state: 'tampered', reason: 'An index of the log does not fit its rows.' })
      place.tamper(`REINDEX ${index}`)
      expect((await audit.verify()).state).toBe('ok')
    }
  })

  test('a trigger that was added while the host was away does not run', async () => {
    const place = desk()
    await written(place)
    place.tamper('CREATE TRIGGER later AFTER INSERT ON ledger BEGIN DELETE FROM projection WHERE seq = new.seq; END')
    const audit = await place.open()
    expect(audit.breaks()).toMatchObject([{ found: 'foreign' }])
    const seq = await audit.append(call())
    expect((await audit.query({}, null, 1)).rows[0]?.seq).toBe(seq)
  })
})
