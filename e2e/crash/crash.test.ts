// Some kills in every test run, a hundred among the long tests, from a new seed each time. `npm run crash` does the same by the thousand.

import { randomInt } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isLong } from '../support/long-tests.ts'
import { run, total, type RunResult } from './machine.ts'
import { catchMutation, MUTATIONS } from './mutations.ts'
import { planLife, POINTS } from './plan.ts'

const seed = randomInt(1, 1_000_000_000)
const KILLS = isLong ? 100 : 30

describe('killed again and again', () => {
  it(`nothing acknowledged is lost, nothing is done twice and the log knows it all (seed ${seed})`, { timeout: 600_000 }, async () => {
    const results = await Promise.all([
      run({ kills: KILLS * 0.4, seed, store: 'keychain', powerLoss: false }),
      run({ kills: KILLS * 0.4, seed, store: 'sealed', powerLoss: false }),
      run({ kills: KILLS * 0.2, seed, store: 'sealed', powerLoss: true }),
    ])
    expect(results.flatMap(({ violations }) => violations)).toEqual([])
    expect(sum(results, total)).toBeGreaterThanOrEqual(KILLS)
    expect(sum(results, ({ answered }) => answered)).toBeGreaterThan(KILLS)
    const deaths = new Set(results.flatMap((result) => Object.keys(result.deaths)).map((how) => how.replace(' while starting', '')))
    // A few kills do not come by every point.
    if (isLong) for (const point of POINTS) expect(deaths).toContain(point)
  })

  it(
    'the checker finds out a host that skips what it should write, and one that does not wait for the disk',
    { timeout: 600_000 },
    async () => {
      const some = MUTATIONS.filter(({ name }) => /outcome is skipped|log commits without/.test(name))
      expect(some).toHaveLength(2)
      for (const caught of await Promise.all(some.map((mutation) => catchMutation(mutation, seed))))
        expect(caught).toMatchObject({ after: expect.any(Number) })
    },
  )
})

describe('the plan of a life', () => {
  it('is the same for the same seed and another for another', () => {
    const plan = (from: number) => Array.from({ length: 20 }, (_, life) => planLife(from, life, { helper: true }))
    expect(plan(7)).toEqual(plan(7))
    expect(plan(7)).not.toEqual(plan(8))
  })
})

const sum = (results: readonly RunResult[], of: (result: RunResult) => number): number =>
  results.reduce((all, result) => all + of(result), 0)
