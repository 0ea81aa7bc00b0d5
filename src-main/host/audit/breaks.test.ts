import { existsSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { anchorText, BEGINNING } from './chain.ts'
import { appendMany, call, desk } from './testing.ts'

describe('a break in the log', () => {
  test('a first start is none, and is anchored with its first rows', async () => {
    const { open, keychain } = desk()
    const audit = await open({ chainKeyIsNew: true })
    expect(audit.breaks()).toEqual([])
    await audit.append(call())
    await audit.anchorNow()
    expect(keychain.anchor).toContain('"seq":1')
    expect(await audit.verify()).toEqual({ state: 'ok', entries: 1, head: 1, breaks: [] })
  })

  test('a start that was cut short before its first anchor is none either', async () => {
    const { open, keychain } = desk()
    const audit = await open()
    await appendMany(audit, 3)
    await audit.close()
    keychain.anchor = anchorText(BEGINNING)
    expect((await open()).breaks()).toEqual([])
    await expect.poll(() => keychain.anchor).toContain('"seq":3')
  })

  test('alarms until a person acknowledges it, and is listed for ever after', async () => {
    const { open, file } = desk()
    const first = await open()
    await appendMany(first, 10)
    await first.close()
    rmSync(file)

    const second = await open()
    const [found] = second.breaks()
    expect(found).toMatchObject({ seq: 11, found: 'missing', aside: null, acknowledged: false })
    expect((await second.verify()).state).toBe('behind')
    await second.close()

    const third = await open()
    expect(third.breaks()).toMatchObject([{ seq: 11, acknowledged: false }])
    await third.acknowledge(11)
    const listed = [{ ...found, acknowledged: true }]
    expect(await third.verify()).toEqual({ state: 'ok', entries: 2, head: 12, breaks: listed })
    await third.close()

    const fourth = await open()
    expect(fourth.breaks()).toEqual(listed)
    const { rows } = await fourth.query({}, null, 10)
    expect(rows.map(({ seq, event, approver }) => [seq, event, approver])).toEqual([
      [12, 'audit.acknowledged', 'person'],
      [11, 'audit.segment', null],
    ])
  })

  test('an acknowledgement that was not made with the key counts for nothing', async () => {
    const { open, file, tamper } = desk()
    const first = await open()
    await appendMany(first, 10)
    await first.close()
    rmSync(file)
    const second = await open()
    await second.append(call({ kind: 'system', event: 'audit.acknowledgee', detail: { segment: 11 } }))
    await second.append(call())
    await second.close()
    tamper(`UPDATE words SET word = '"audit.acknowledged"' WHERE word = '"audit.acknowledgee"'`)
    const third = await open()
    expect(third.breaks()).toMatchObject([{ seq: 11, acknowledged: false }])
    expect((await third.verify()).state).toBe('tampered')
  })

  test('a file that is no database is moved aside, not deleted, and named', async () => {
    const { open, folder, file } = desk()
    const first = await open()
    await appendMany(first, 10)
    await first.close()
    writeFileSync(file, 'this is not a database, whatever its name says')
    const second = await open()
    const [found] = second.breaks()
    expect(found).toMatchObject({ seq: 11, found: 'corrupt', aside: 'audit-broken-20260115T120000Z.db' })
    expect(readFileSync(join(folder, found?.aside ?? ''), 'utf8')).toContain('not a database')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await second.verify()).toMatchObject({ state: 'tampered', badSeq: 11 })
  })

  test('a file cut off in the middle of its pages is found, and its rows are kept aside', async () => {
    const { open, folder, file } = desk()
    const first = await open()
    await appendMany(first, 500)
    await first.close()
    truncateSync(file, Math.floor(statSync(file).size / 2))
    const second = await open()
    const [found] = second.breaks()
    expect(found?.found).toBe('corrupt')
    expect(existsSync(join(folder, found?.aside ?? ''))).toBe(true)
    expect(await second.append(call())).toBeGreaterThan(500)
  })

  test('a lost key begins a segment that says so', async () => {
    const { open, keychain } = desk()
    const first = await open()
    await appendMany(first, 10)
    await first.close()
    keychain.anchor = null
    const second = await open({ chainKey: Buffer.alloc(32, 9), chainKeyIsNew: true })
    expect(second.breaks()).toMatchObject([{ seq: 11, found: 'no key' }])
    expect((await second.verify()).state).toBe('no key')
    await second.acknowledge(11)
    expect((await second.verify()).state).toBe('ok')
    await second.close()
    const third = await open({ chainKey: Buffer.alloc(32, 9) })
    expect(await third.verify()).toMatchObject({ state: 'ok', breaks: [{ found: 'no key', acknowledged: true }] })
  })

  test('an anchor that is none of ours is an alarm', async () => {
    const { open, keychain } = desk()
    const first = await open()
    await appendMany(first, 10)
    await first.close()
    keychain.anchor = '{"seq":"ten"}'
    expect((await open()).breaks()).toMatchObject([{ seq: 11, found: 'foreign' }])
  })

  test('is not taken for another one when the host ends before it could anchor the new segment', async () => {
    const { open, file, keychain } = desk()
    const first = await open()
    await appendMany(first, 10)
    await first.close()
    rmSync(file)
    keychain.fail = new Error('the keychain is locked')
    const second = await open()
    await second.append(call())
    await second.close()
    keychain.fail = null
    const third = await open()
    expect(third.breaks()).toMatchObject([{ seq: 11, found: 'missing' }])
    expect(await third.append(call())).toBe(13)
  })

  test('a -wal left without its database is not replayed into the new one', async () => {
    const { open, folder, file, files } = desk()
    const first = await open()
    await appendMany(first, 10)
    renameSync(file, join(folder, 'elsewhere'))
    await first.close()
    writeFileSync(`${file}-wal`, 'stray')
    const second = await open()
    expect(second.breaks()).toMatchObject([{ found: 'missing' }])
    expect(files().some((name) => /^audit-broken-.*\.db-wal$/.test(name))).toBe(true)
    await second.acknowledge(11)
    expect((await second.verify()).state).toBe('ok')
  })

  test('a log of a newer version is left alone, and nothing is recorded into it', async () => {
    const { open, file, tamper, files } = desk()
    const first = await open()
    await appendMany(first, 10)
    await first.close()
    tamper('PRAGMA user_version = 2')
    const second = await open()
    await expect(second.append(call())).rejects.toThrow('the audit log was written by a newer version of Countersign')
    expect(files().filter((name) => name.startsWith('audit-broken'))).toEqual([])
    const db = new DatabaseSync(file, { readOnly: true })
    expect(db.prepare('SELECT count(*) AS rows FROM ledger').get()).toEqual({ rows: 10 })
    db.close()
  })
})
