import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { anchorText, BEGINNING } from './chain.ts'
import { appendMany, call, desk } from './testing.ts'

const seqOf = (anchor: string | null): number | null => (anchor === null ? null : Number(JSON.parse(anchor).seq))

describe('the anchor in the keychain', () => {
  test('follows when the log has been idle for two seconds', async () => {
    const { open, clock, keychain } = desk()
    const audit = await open()
    await audit.append(call())
    await audit.anchorNow()
    await appendMany(audit, 5)
    await clock.advance(1_900)
    expect(seqOf(keychain.anchor)).toBe(1)
    await audit.append(call())
    await clock.advance(1_900)
    expect(seqOf(keychain.anchor)).toBe(1)
    await clock.advance(100)
    expect(seqOf(keychain.anchor)).toBe(7)
  })

  test('follows within ten seconds when the log is never idle', async () => {
    const { open, clock, keychain } = desk()
    const audit = await open()
    await audit.append(call())
    await audit.anchorNow()
    for (let second = 0; second < 11; second++) {
      await audit.append(call())
      await clock.advance(1_000)
    }
    expect(seqOf(keychain.anchor)).toBeGreaterThan(8)
  })

  test('is written beside the path, and many requests while one is under way become one more', async () => {
    const { open, keychain } = desk()
    const gate = Promise.withResolvers<void>()
    let writes = 0
    const audit = await open({
      anchor: {
        read: async () => anchorText(BEGINNING),
        write: async (text) => {
          writes += 1
          if (writes === 1) await gate.promise
          keychain.anchor = text
        },
      },
    })
    await audit.append(call())
    for (let n = 0; n < 20; n++) {
      await audit.append(call())
      audit.anchorSoon()
    }
    expect(writes).toBe(1)
    gate.resolve()
    await expect.poll(() => seqOf(keychain.anchor)).toBe(21)
    expect(writes).toBe(2)
  })

  test('that cannot be written stops nobody, and is tried again by itself', async () => {
    const { open, clock, keychain } = desk()
    const audit = await open()
    keychain.fail = new Error('the keychain is locked')
    expect(await appendMany(audit, 3)).toEqual([1, 2, 3])
    await expect(audit.anchorNow()).rejects.toThrow('the keychain is locked')
    expect(seqOf(keychain.anchor)).toBe(0)
    keychain.fail = null
    await clock.advance(5_000)
    expect(seqOf(keychain.anchor)).toBe(3)
  })

  test('is written at close, and not again when it is there already', async () => {
    const { open, keychain } = desk()
    const audit = await open()
    await appendMany(audit, 3)
    await audit.close()
    expect(seqOf(keychain.anchor)).toBe(3)
    const writes = keychain.writes
    await (await open()).close()
    expect(keychain.writes).toBe(writes)
  })

  test('stands there before the first entry, so that a crash before the next one is a beginning', async () => {
    const { open, keychain, file } = desk()
    keychain.fail = new Error('the keychain is locked')
    await expect(open()).rejects.toThrow('the keychain is locked')
    expect(existsSync(file)).toBe(false)
    keychain.fail = null
    const audit = await open()
    const { anchor } = keychain
    expect(seqOf(anchor)).toBe(0)
    await appendMany(audit, 3)
    await audit.close()
    keychain.anchor = anchor
    const later = await open()
    expect([later.anchorMissing, later.breaks()]).toEqual([false, []])
  })

  test('that is missing beside a log with entries is told, and is not taken for a beginning', async () => {
    const { open, keychain } = desk()
    const audit = await open()
    await appendMany(audit, 3)
    await audit.close()
    keychain.anchor = null
    const later = await open()
    expect(later.anchorMissing).toBe(true)
    expect(keychain.anchor).toBe(null)
    expect(await later.append(call())).toBe(4)
    await later.anchorNow()
    expect(seqOf(keychain.anchor)).toBe(4)
  })

  test('never runs ahead of what is on disk', async () => {
    const { open, file, keychain } = desk()
    keychain.anchor = anchorText(BEGINNING)
    const audit = await open({
      anchor: {
        read: async () => keychain.anchor,
        write: async (text) => {
          const db = new DatabaseSync(file, { readOnly: true })
          expect(Number(db.prepare('SELECT max(seq) AS seq FROM ledger').get()?.['seq'])).toBeGreaterThanOrEqual(seqOf(text) ?? 0)
          db.close()
          keychain.anchor = text
        },
      },
    })
    for (let n = 0; n < 30; n++) {
      const appended = appendMany(audit, 10)
      audit.anchorSoon()
      await appended
    }
    await audit.anchorNow()
    expect(seqOf(keychain.anchor)).toBe(300)
  })
})
