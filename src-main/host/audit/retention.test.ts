import { copyFileSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { appendMany, call, desk, type Desk } from './testing.ts'

const DAY = 24 * 3_600_000

async function threeDays(place: Desk) {
  const audit = await place.open()
  for (let day = 0; day < 3; day++) {
    await appendMany(audit, 1500, (n) => ({ secret: `day-${day}/s-${n % 40}`, call: `d${day}-${n}` }))
    await place.clock.advance(DAY)
  }
  await audit.anchorNow()
  return audit
}

describe('retention', () => {
  test('removes a prefix, and what is left verifies, also after a restart', async () => {
    const place = desk()
    const audit = await threeDays(place)
    const start = place.clock.now() - 3 * DAY
    expect(await audit.prune(start + DAY)).toEqual({ removed: 1500 })
    expect(await audit.verify()).toEqual({ state: 'ok', entries: 3001, head: 4501, breaks: [] })
    const { rows } = await audit.query({ to: start + DAY }, null, 10)
    expect(rows).toEqual([])
    expect((await audit.facets({})).event).toEqual([
      { value: 'call', count: 3000 },
      { value: 'audit.pruned', count: 1 },
    ])
    const { buckets } = await audit.histogram({}, start, start + 3 * DAY, 3)
    expect(buckets.reduce((sum, { counts }) => sum + (counts['allowed'] ?? 0), 0)).toBe(3000)
    expect(await audit.prune(start + 2 * DAY)).toEqual({ removed: 1500 })
    expect(await audit.prune(start + 2 * DAY)).toEqual({ removed: 0 })
    await audit.close()
    const again = await place.open()
    expect(again.breaks()).toEqual([])
    expect(await again.append(call())).toBe(4503)
    expect((await again.verify()).state).toBe('ok')
  })

  test('leaves no name behind that occurred only in what was removed', async () => {
    const place = desk()
    const audit = await threeDays(place)
    await audit.prune(place.clock.now() - 2 * DAY)
    await audit.close()
    const db = new DatabaseSync(place.file, { readOnly: true })
    const words = db
      .prepare('SELECT word FROM words')
      .all()
      .map(({ word }) => String(word))
    db.close()
    expect(words.filter((word) => word.includes('day-0/'))).toEqual([])
    expect(words.filter((word) => word.includes('day-1/'))).toHaveLength(40)
  })

  test('goes on while entries are written, and loses none of their words', async () => {
    const place = desk()
    const audit = await threeDays(place)
    const pruning = audit.prune(place.clock.now() - DAY)
    let more = 0
    let done = false
    void pruning.finally(() => (done = true))
    while (!done) {
      await appendMany(audit, 20, (n) => ({ secret: `day-0/s-${n}`, client: `late-${more}`, call: `late-${more}-${n}` }))
      more += 20
    }
    expect(await pruning).toEqual({ removed: 3000 })
    expect(await audit.verify()).toMatchObject({ state: 'ok', entries: 1501 + more })
  })

  test('spares open intents, calls that reach beyond, and what is not anchored', async () => {
    const { open, clock, keychain } = desk()
    const audit = await open()
    await appendMany(audit, 10)
    await audit.append(call({ kind: 'intent', call: 'open', outcome: null }))
    await appendMany(audit, 10, (n) => ({ call: `more-${n}` }))
    await clock.advance(DAY)
    expect(await audit.prune(clock.now())).toEqual({ removed: 10 })
    expect((await audit.query({ event: ['call'] }, null, 20)).rows.at(-1)).toMatchObject({ seq: 11, call: 'open', outcome: null })

    await audit.append(call({ call: 'open', outcome: 'failed' }))
    await audit.anchorNow()
    keychain.fail = new Error('the keychain is locked')
    await appendMany(audit, 10, (n) => ({ call: `last-${n}` }))
    await clock.advance(DAY)
    await audit.prune(clock.now())
    const { rows } = await audit.query({}, null, 50)
    const anchored = Number(JSON.parse(keychain.anchor ?? '').seq)
    // The row of the call that was open goes from 11 to the anchored 23, so nothing from 11 on may go.
    expect(rows.at(-1)?.seq).toBe(11)
    expect(anchored).toBe(23)
    expect((await audit.verify()).state).toBe('ok')
  })

  test('that was cut short by the end of the host is finished at the next start', async () => {
    const place = desk()
    const audit = await threeDays(place)
    const left = desk()
    left.keychain.anchor = place.keychain.anchor
    // As a crash would leave it: the row that releases the prefix is on disk, and nothing was removed yet.
    audit.onAppended(() => {
      for (const suffix of ['', '-wal']) copyFileSync(place.file + suffix, left.file + suffix)
    })
    await audit.prune(place.clock.now() - 2 * DAY)
    const next = await left.open()
    expect(next.breaks()).toEqual([])
    expect(await next.verify()).toEqual({ state: 'ok', entries: 3001, head: 4501, breaks: [] })
    expect((await next.query({ to: place.clock.now() - 2 * DAY }, null, 10)).rows).toEqual([])
  })

  test('cannot be used to hide: rows removed beyond what the log says was pruned are missed', async () => {
    const place = desk()
    const audit = await threeDays(place)
    await audit.prune(place.clock.now() - 2 * DAY)
    await audit.close()
    place.tamper('DELETE FROM ledger WHERE seq < 1600; DELETE FROM projection WHERE seq < 1600')
    expect((await (await place.open()).verify()).state).toBe('tampered')
  })

  test('keeps a break that nobody has acknowledged', async () => {
    const { open, clock, file } = desk()
    const first = await open()
    await appendMany(first, 5)
    await first.close()
    rmSync(file)
    const audit = await open()
    await appendMany(audit, 5)
    await clock.advance(DAY)
    expect(await audit.prune(clock.now())).toEqual({ removed: 0 })
    await audit.acknowledge(6)
    await clock.advance(DAY)
    await audit.append(call())
    expect((await audit.prune(clock.now())).removed).toBeGreaterThan(0)
    expect((await audit.verify()).state).toBe('ok')
  })
})
