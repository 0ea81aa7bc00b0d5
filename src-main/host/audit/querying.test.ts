import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { OUTCOMES, type AuditFilter, type AuditRow, type Entry } from '../../../src-shared/audit.ts'
import type { Audit } from './audit.ts'
import { appendMany, call, desk, type Desk } from './testing.ts'

const HOUR = 3_600_000
const CLIENTS = ['cursor', 'claude-desktop', 'zed', 'Ünïcode']
const TOOLS = ['get_secret', 'store_secret', 'list_secrets']
const SECRETS = ['prod/db', 'prod/api', 'dev/db', 'dev/API-key', 'x"y\\z']

/** A few hundred calls and system entries over some days, with the clock set back once. */
async function filled(place: Desk): Promise<{ audit: Audit; all: AuditRow[] }> {
  const audit = await place.open()
  const pick = <T>(list: readonly T[], n: number): T => list[n % list.length] as T
  for (let n = 0; n < 400; n++) {
    await place.clock.advance((n * 7919) % (40 * 60_000))
    if (n === 250) place.clock.setWall(place.clock.now() - 5 * HOUR - 123)
    const tool = pick(TOOLS, n * 13)
    const base = {
      call: `call-${n}`,
      client: pick(CLIENTS, n * 31 + (n >> 3)),
      tool,
      secret: n % 9 === 0 ? null : pick(SECRETS, n * 17 + (n >> 2)),
    }
    if (n % 11 === 0)
      await audit.append(
        call({ kind: 'system', event: pick(['policy.saved', 'host.started'], n), outcome: null, tool: null, secret: null, call: null }),
      )
    else {
      if (tool === 'store_secret') await audit.append(call({ ...base, kind: 'intent', outcome: null }))
      if (n % 37 !== 0 || tool !== 'store_secret')
        await audit.append(
          call({ ...base, outcome: pick(OUTCOMES, n * 3 + (n >> 4)), rule: pick(['policy default: reads first', 'grant g1'], n) }),
        )
    }
  }
  const all: AuditRow[] = []
  for (let before: number | null = null; ;) {
    const page = await audit.query({}, before, 64)
    all.push(...page.rows)
    before = page.before
    if (before === null) break
  }
  return { audit, all }
}

const FIELDS = ['client', 'tool', 'secret', 'outcome', 'event'] as const

/** The filter as its type describes it, told in the plainest way. `but` leaves one field out. */
function matches(row: AuditRow, filter: AuditFilter, but?: (typeof FIELDS)[number]): boolean {
  const has = (list: readonly string[] | undefined, value: string | null) => value !== null && (list ?? []).includes(value)
  const text = filter.text?.trim().toLowerCase() ?? ''
  return (
    FIELDS.every(
      (field) =>
        field === but || (((filter[field]?.length ?? 0) === 0 || has(filter[field], row[field])) && !has(filter.not?.[field], row[field])),
    ) &&
    (filter.from === undefined || row.wall >= filter.from) &&
    (filter.to === undefined || row.wall < filter.to) &&
    [row.client, row.tool, row.secret, row.rule, row.event].some((value) => text === '' || value?.toLowerCase().includes(text))
  )
}

describe('the rows of a filter', () => {
  test('page, facets and histogram are what a plain look at every row gives, for any filter', async () => {
    const { audit, all } = await filled(desk())
    expect(all.map(({ seq }) => seq)).toEqual(all.map(({ seq }) => seq).toSorted((a, b) => b - a))
    const walls = all.map(({ wall }) => wall)
    const time = fc.option(fc.oneof(fc.integer({ min: Math.min(...walls), max: Math.max(...walls) }), fc.constantFrom(...walls)), {
      nil: undefined,
    })
    const some = (values: readonly string[]) =>
      fc.option(fc.subarray([...values, 'unknown'], { maxLength: 3 }), { nil: undefined, freq: 2 })
    const fields = fc.record({
      client: some(CLIENTS),
      tool: some(TOOLS),
      secret: some(SECRETS),
      outcome: fc.option(fc.subarray([...OUTCOMES]), { nil: undefined, freq: 2 }),
      event: some(['call', 'policy.saved']),
    })
    const filters: fc.Arbitrary<AuditFilter> = fc
      .tuple(
        fields,
        fields,
        fc.boolean(),
        time,
        time,
        fc.option(fc.constantFrom('PROD', 'api', 'g1', 'ünï', 'saved', '"', '\\', 'nothing', ' '), { nil: undefined }),
      )
      .map(([yes, no, negate, from, to, text]) => ({ ...(negate ? {} : yes), ...(negate ? { not: no } : {}), from, to, text }))
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 60 }), async (filter, limit, buckets) => {
        const expected = all.filter((row) => matches(row, filter))
        expect((await audit.totals(filter)).rows).toBe(expected.length)
        const first = await audit.query(filter, null, limit)
        expect(first.rows).toEqual(expected.slice(0, limit))
        expect(first.before).toBe(expected.length > limit ? expected[limit - 1]?.seq : null)
        if (first.before !== null) expect((await audit.query(filter, first.before, limit)).rows).toEqual(expected.slice(limit, 2 * limit))

        const facets = await audit.facets(filter)
        for (const field of FIELDS) {
          const values = all
            .filter((row) => matches(row, filter, field))
            .map((row) => row[field])
            .filter((value) => value !== null)
          const counts = Object.fromEntries(facets[field].map(({ value, count }) => [value, count]))
          expect(counts).toEqual(
            Object.fromEntries(Object.entries(Object.groupBy(values, (value) => value)).map(([value, list]) => [value, list?.length])),
          )
        }

        const from = filter.from ?? Math.min(...walls)
        const to = Math.max(filter.to ?? Math.max(...walls) + 1, from + 1)
        const histogram = await audit.histogram(filter, from, to, buckets)
        expect(histogram.buckets.length).toBeLessThanOrEqual(buckets + 1)
        for (const { from: start, counts } of histogram.buckets) {
          const within = expected.filter(({ wall }) => wall >= Math.max(start, from) && wall < Math.min(start + histogram.bucketMs, to))
          expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(within.length)
          for (const [outcome, count] of Object.entries(counts))
            expect(count).toBe(within.filter((row) => (row.outcome ?? '') === outcome).length)
        }
      }),
      { numRuns: 150 },
    )
  })

  test('are found at any place among them, also below a fixed top', async () => {
    const { audit, all } = await filled(desk())
    const { head, entries, oldest } = await audit.totals({})
    expect({ entries, oldest }).toEqual({ entries: head, oldest: all.at(-1)?.wall })
    const walls = all.map(({ wall }) => wall)
    const time = fc.option(fc.integer({ min: Math.min(...walls), max: Math.max(...walls) }), { nil: undefined })
    const filters: fc.Arbitrary<AuditFilter> = fc.record({
      client: fc.option(fc.subarray(CLIENTS), { nil: undefined }),
      outcome: fc.option(fc.subarray([...OUTCOMES]), { nil: undefined }),
      from: time,
      to: time,
    })
    const place = fc.integer({ min: 0, max: 420 })
    await fc.assert(
      fc.asyncProperty(filters, place, fc.integer({ min: 1, max: head + 1 }), async (filter, skip, before) => {
        const expected = all.filter((row) => row.seq < before && matches(row, filter)).slice(skip)
        const page = await audit.query(filter, before, 10, skip)
        expect(page.rows).toEqual(expected.slice(0, 10))
        expect(page.before).toBe(expected.length > 10 ? expected[9]?.seq : null)
      }),
      { numRuns: 300 },
    )
  })

  test('are found also when a filter lets through more combinations than are merged', async () => {
    const audit = await desk().open()
    await appendMany(audit, 6_600, (n) => ({ secret: `team/${n}`, client: n % 3 === 0 ? 'cursor' : 'zed' }))
    const found: number[] = []
    for (let before: number | null = null; ;) {
      const page = await audit.query({ client: ['cursor'] }, before, 700)
      found.push(...page.rows.map(({ seq }) => seq))
      before = page.before
      if (before === null) break
    }
    expect(found).toEqual(Array.from({ length: 2_200 }, (_, n) => 6_598 - 3 * n))
  })

  test('show what was written a moment ago', async () => {
    const audit = await desk().open()
    for (let n = 0; n < 20; n++) {
      const seq = await audit.append(call({ secret: `new/${n}`, client: `client-${n}` }))
      expect((await audit.query({ text: `NEW/${n}` }, null, 1)).rows).toMatchObject([{ seq, secret: `new/${n}` }])
    }
  })
})

test('a place further down moves as soon as there is more above it', async () => {
  const place = desk()
  const audit = await place.open()
  await appendMany(audit, 30)
  for (let n = 1; n <= 20; n++) {
    await place.clock.advance(10 * 60_000)
    await audit.append(call({ client: n % 2 === 0 ? 'zed' : 'cursor' }))
    const from = async (filter: AuditFilter, skip: number) => (await audit.query(filter, null, 1, skip)).rows[0]?.seq
    expect(await from({}, n)).toBe(30)
    expect(await from({}, n)).toBe(30)
    expect(await from({ client: ['cursor'] }, Math.ceil(n / 2))).toBe(30)
  }
})

describe('the story of a call', () => {
  test('has its intent, its approvals and its outcome, in order, and nothing of another call', async () => {
    const audit = await desk().open()
    const entries: Entry[] = [
      call({ kind: 'system', event: 'approval.opened', call: 'a-12345678', outcome: null }),
      call({ kind: 'intent', call: 'b-12345678', outcome: null }),
      call({ kind: 'system', event: 'approval.ended', call: 'a-12345678', outcome: null }),
      call({ kind: 'intent', call: 'a-12345678', outcome: null }),
      call({ call: 'b-12345678' }),
      call({ call: 'a-12345678' }),
      call({ kind: 'system', event: 'host.stopped', call: null, outcome: null }),
    ]
    for (const entry of entries) await audit.append(entry)
    for (const seq of [1, 3, 4, 6]) expect((await audit.story(seq)).map((entry) => entry.seq)).toEqual([1, 3, 4, 6])
    for (const seq of [2, 5]) expect((await audit.story(seq)).map((entry) => entry.seq)).toEqual([2, 5])
    expect((await audit.story(7)).map(({ event }) => event)).toEqual(['host.stopped'])
    expect(await audit.story(99)).toEqual([])
    expect(await audit.story(Number.NaN)).toEqual([])
  })
})
