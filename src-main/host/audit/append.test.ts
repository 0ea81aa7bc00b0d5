import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LedgerEntry } from '../../../src-shared/audit.ts'
import { canonical } from '../../../src-shared/canonical.ts'
import { pack, packedText } from './packing.ts'
import { appendMany, call, desk } from './testing.ts'

describe('appending to the log', () => {
  test('an entry reads back exactly as it was handed in', async () => {
    const { open, clock } = desk()
    const audit = await open()
    const odd = call({ call: 'c1', secret: 'a\0b\ud800"\\é🔑', detail: { z: [1, null, { ü: -0.5 }], a: 'x' } })
    const seq = await audit.append(odd)
    expect(await audit.story(seq)).toEqual([{ ...odd, seq: 1, wall: clock.now(), mono: 1000, boot: 'boot-1', clockBack: false }])
    expect((await audit.verify()).state).toBe('ok')
  })

  test('the text under the MAC is the canonical text of the entry', () => {
    const text = fc.option(fc.string({ unit: 'binary' }))
    const entry = fc.record<LedgerEntry>({
      kind: fc.constantFrom('intent', 'outcome', 'system'),
      event: fc.string(),
      call: text,
      client: text,
      peer: text,
      standing: text,
      tool: text,
      secret: text,
      outcome: fc.constantFrom('allowed', 'denied', null),
      rule: text,
      approver: text,
      fingerprint: text,
      // A JSON value is what a detail holds; the generator's type is wider than ours.
      detail: fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<LedgerEntry['detail']>,
      seq: fc.nat(),
      wall: fc.nat(),
      mono: fc.nat(),
      boot: fc.string(),
      clockBack: fc.boolean(),
    })
    fc.assert(
      fc.property(entry, (value) => {
        const words: string[] = []
        const packed = pack({ ...value, detail: canonical(value.detail) }, (word) => (word === null ? 0 : words.push(word)))
        const text = packedText(value.seq, packed, (id) => (id === 0 ? 'null' : JSON.stringify(words[id - 1])))
        expect(text).toBe(canonical({ ...value }))
      }),
    )
  })

  test('what is handed in together shares one commit, in the order it came', async () => {
    const audit = await desk().open()
    const commits: number[] = []
    audit.onAppended((seq) => commits.push(seq))
    expect(await appendMany(audit, 100)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1))
    expect(commits).toEqual([100])
    await audit.append(call())
    expect(commits).toEqual([100, 101])
  })

  test('what was acknowledged is on disk, also for somebody who reads the file from outside', async () => {
    const { open, file } = desk()
    const audit = await open()
    const seq = await audit.append(call())
    const other = new DatabaseSync(file, { readOnly: true })
    expect(other.prepare('SELECT max(seq) AS seq FROM ledger').get()).toEqual({ seq })
    expect(other.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
    other.close()
  })

  test('50 writers of 200 entries each leave a chain without gaps', async () => {
    const audit = await desk().open()
    let commits = 0
    audit.onAppended(() => (commits += 1))
    const writer = async (w: number) => {
      const seqs: number[] = []
      for (let n = 0; n < 200; n++) seqs.push(await audit.append(call({ call: `w${w}-${n}`, client: `client-${w}` })))
      return seqs
    }
    const seqs = (await Promise.all(Array.from({ length: 50 }, (_, w) => writer(w)))).flat()
    expect(seqs.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 10_000 }, (_, n) => n + 1))
    expect(commits).toBeLessThan(1_000)
    expect(await audit.verify()).toEqual({ state: 'ok', entries: 10_000, head: 10_000, breaks: [] })
  })

  test('a clock that steps back flags the row, and the order stays that of seq', async () => {
    const { open, clock } = desk()
    const audit = await open()
    await audit.append(call({ secret: 'first' }))
    clock.setWall(clock.now() - 7_200_000)
    await audit.append(call({ secret: 'second' }))
    await clock.advance(1_000)
    await audit.append(call({ secret: 'third' }))
    const { rows } = await audit.query({}, null, 10)
    expect(rows.map(({ secret }) => secret)).toEqual(['third', 'second', 'first'])
    const flags = await Promise.all([1, 2, 3].map(async (seq) => (await audit.story(seq))[0]?.clockBack))
    expect(flags).toEqual([false, true, false])
    expect((await audit.verify()).state).toBe('ok')
    const { rows: early } = await audit.query({ to: clock.now() - 500 }, null, 10)
    expect(early.map(({ secret }) => secret)).toEqual(['second'])
  })

  test('the database and what lies beside it are for their owner alone, whatever the umask', async () => {
    const { open, folder, files } = desk()
    const before = process.umask(0)
    try {
      const audit = await open()
      await audit.append(call())
      expect(files()).toEqual(['audit.db', 'audit.db-shm', 'audit.db-wal'])
      for (const name of files()) expect(statSync(`${folder}/${name}`).mode & 0o777).toBe(0o600)
    } finally {
      process.umask(before)
    }
  })

  test('an intent without outcome is found at the next start, and closed by its outcome', async () => {
    const { open } = desk()
    const first = await open()
    await first.append(call({ kind: 'intent', call: 'w1', tool: 'store_secret', outcome: null }))
    await first.append(call({ kind: 'intent', call: 'w2', tool: 'store_secret', outcome: null }))
    await first.append(call({ call: 'w2', tool: 'store_secret' }))
    expect(first.openIntents()).toEqual([])
    await first.close()

    const second = await open()
    expect(second.openIntents().map(({ call, seq }) => [call, seq])).toEqual([['w1', 1]])
    await second.append(call({ call: 'w1', tool: 'store_secret', outcome: 'recovered', detail: { effect: 'applied' } }))
    const { rows } = await second.query({}, null, 10)
    expect(rows.map(({ call, outcome, seq, lastSeq }) => [call, outcome, seq, lastSeq])).toEqual([
      ['w2', 'allowed', 2, 3],
      ['w1', 'recovered', 1, 4],
    ])
    expect((await second.verify()).state).toBe('ok')
    await second.close()
    expect((await open().then((third) => third.openIntents())).length).toBe(0)
  })

  test('an entry that cannot be written out or is too long is refused alone', async () => {
    const audit = await desk().open()
    const results = await Promise.allSettled([
      audit.append(call({ detail: { at: Number.NaN } })),
      audit.append(call({ detail: { reason: 'x'.repeat(70_000) } })),
      audit.append(call()),
    ])
    expect(results).toMatchObject([
      { reason: { name: 'AuditError', message: 'the entry cannot be written out' } },
      { reason: { name: 'AuditError', message: 'the entry is too long' } },
      { value: 1 },
    ])
  })

  test('what is still waiting is written at close, and nothing after it', async () => {
    const { open } = desk()
    const audit = await open()
    const waiting = appendMany(audit, 600)
    await audit.close()
    expect((await waiting).at(-1)).toBe(600)
    await expect(audit.append(call())).rejects.toThrow('the audit log is closed')
    expect(await (await open()).verify()).toMatchObject({ state: 'ok', entries: 600 })
  })
})
