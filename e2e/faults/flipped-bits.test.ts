// A bit flips in a random page of a database: the same promise as in damaged-databases.test.ts, held by the two modules that read
// these files, without a whole host around them, and so a hundred times.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { Audit } from '../../src-main/host/audit/audit.ts'
import { AuditError } from '../../src-main/host/audit/errors.ts'
import { appendMany, call, desk } from '../../src-main/host/audit/testing.ts'
import { LostKey } from '../../src-main/host/keys.ts'
import { DamagedStore } from '../../src-main/host/store.ts'
import { tempFolder, testVault, type TestVault } from '../../src-main/host/vault/testing.ts'
import { ChangedOutside } from '../../src-main/host/vault/vault.ts'
import { chance } from '../crash/random.ts'
import { flipBit } from './history.ts'
import { observed, times } from './observed.ts'

const seed = Number(process.env['FAULTS_SEED'] ?? 7)
const FLIPS = times(25, 100)
const timeout = 60_000 + FLIPS * 10_000

/** The file as it is now, to be put back with one bit flipped. */
function flipping(file: string): { pages: number; flip: () => string } {
  const sound = readFileSync(file)
  const { below } = chance(seed, path.basename(file), 'modules')
  const pages = Math.ceil(sound.length / 4096)
  return {
    pages,
    flip() {
      for (const beside of ['-wal', '-shm']) rmSync(file + beside, { force: true })
      writeFileSync(file, sound, { mode: 0o600 })
      const [page, bit] = [below(pages), below(4096 * 8)]
      flipBit(file, page, bit)
      return `seed ${seed}, page ${page}, bit ${bit}`
    },
  }
}

const everything = async (audit: Audit) => ({
  rows: (await audit.query({}, null, 1000)).rows,
  some: (await audit.query({ secret: ['dev/3'] }, null, 1000)).rows,
  facets: await audit.facets({}),
  story: await audit.story(5),
})

test('a bit that flips in the log is told by an alarm or by verify, or the log says exactly what it said', { timeout }, async () => {
  const { open, file, folder, keychain } = desk()
  const first = await open()
  await appendMany(first, 300, (n) => ({ client: `client-${n % 4}`, secret: `dev/${n % 20}`, detail: { n } }))
  await first.anchorNow()
  const before = await everything(first)
  await first.close()
  const { anchor } = keychain
  const { pages, flip } = flipping(file)
  const found = { alarm: 0, verify: 0, refused: 0, harmless: 0 }
  let slowestMs = 0
  for (let n = 0; n < FLIPS; n++) {
    for (const aside of readdirSync(folder).filter((name) => name.startsWith('audit-broken'))) rmSync(path.join(folder, aside))
    keychain.anchor = anchor
    const where = flip()
    const began = performance.now()
    const audit = await open()
    slowestMs = Math.max(slowestMs, performance.now() - began)
    const now = await everything(audit).catch((error: unknown) => {
      expect(error, where).toBeInstanceOf(AuditError)
      return null
    })
    const verified = await audit.verify().catch(() => null)
    if (audit.breaks().length > 0) found.alarm++
    else if (verified?.state !== 'ok') found.verify++
    else if (now === null) found.refused++
    else {
      expect(now, where).toEqual(before)
      found.harmless++
    }
    // Whatever was found, the log goes on.
    let appended: unknown = null
    for (let tries = 0; tries < 3 && typeof appended !== 'number'; tries++) appended = await audit.append(call()).catch(String)
    expect(appended, where).toBeTypeOf('number')
    await audit.close()
  }
  expect(found.alarm + found.verify, JSON.stringify(found)).toBeGreaterThan(0)
  observed({
    fault: 'flipped bits in audit.db, the log alone',
    clientSaw: [],
    tookMs: slowestMs,
    limitMs: 5000,
    kept: 'what looked sound said row by row what it had said; new entries were taken after every flip',
    flips: FLIPS,
    pages,
    found,
    seed,
  })
})

const NAMES = Array.from({ length: 24 }, (_, n) => `dev/${n}`)
const valueOf = (name: string) => (Number(name.slice(4)) % 3 === 0 ? `long ${name} `.repeat(600) : `value of ${name}`)

test('a bit that flips in the vault is found, or every value and every rule is what it was', { timeout }, async () => {
  const folder = tempFolder()
  const first = await testVault({ folder })
  for (const name of NAMES) {
    await first.vault.store({ name, value: 'a former value', by: 'Cursor', expect: null })
    await first.vault.store({ name, value: valueOf(name), by: 'Cursor', expect: 1 })
  }
  // As many pages of rules as of values, so that both are hit.
  for (let n = 0; n < 150; n++) {
    first.rows.put('policy', `rule-${n}`, { name: `rule-${n}`, description: 'Rule '.repeat(60), allow: ['dev/*'], deny: [], reads: 'ask' })
  }
  const rules = first.rows.list('policy')
  await first.shut()
  const items = new Map(first.keychain.items)
  const { pages, flip } = flipping(path.join(folder, 'vault.db'))
  const found = { damaged: 0, refused: 0, harmless: 0 }
  let slowestMs = 0
  for (let n = 0; n < FLIPS; n++) {
    first.keychain.items.clear()
    for (const [account, value] of items) first.keychain.items.set(account, value)
    const where = flip()
    const began = performance.now()
    const t = await testVault({ folder, keychain: first.keychain }).catch((error: unknown) => {
      expect(error instanceof DamagedStore || error instanceof LostKey, `${where}: ${String(error)}`).toBe(true)
      return null
    })
    slowestMs = Math.max(slowestMs, performance.now() - began)
    if (t === null) found.damaged++
    else found[(await withholds(t, rules, where)) ? 'refused' : 'harmless']++
    await t?.shut()
  }
  expect(found.damaged + found.refused, JSON.stringify(found)).toBeGreaterThan(0)
  observed({
    fault: 'flipped bits in vault.db, the vault alone',
    clientSaw: [],
    tookMs: slowestMs,
    limitMs: 5000,
    kept: 'every value that was given out was the right one, every rule one that was made',
    flips: FLIPS,
    pages,
    found,
    seed,
  })
})

/** Whether it keeps back a value or a rule; what it does give must be right. */
async function withholds(t: TestVault, rules: { id: string; body: unknown }[], where: string): Promise<boolean> {
  let withheld = t.rows.refused.length > 0 || !t.rows.intact
  for (const name of NAMES) {
    const got = await t.vault.get(name).catch((error: unknown) => {
      expect(error, where).toBeInstanceOf(ChangedOutside)
      return 'withheld' as const
    })
    if (got === 'withheld') withheld = true
    else expect(got, `${where}: ${name}`).toEqual({ value: valueOf(name), version: 2 })
  }
  const now = t.rows.list('policy')
  for (const rule of now) expect(rules, where).toContainEqual(rule)
  if (!withheld) expect(now, where).toHaveLength(rules.length)
  return withheld
}
