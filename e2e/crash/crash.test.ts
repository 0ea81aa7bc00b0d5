// A hundred kills in every test run, from a new seed each time. `npm run crash` does the same by the thousand.

import { randomInt } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { run, total, type RunResult } from './machine.ts'
import { catchMutation, MUTATIONS } from './mutations.ts'
import { planLife, POINTS } from './plan.ts'

const seed = randomInt(1, 1_000_000_000)

describe('killed again and again', () => {
  it(`nothing acknowledged is lost, nothing is done twice and the log knows it all (seed ${seed})`, { timeout: 600_000 }, async () => {
    const results = await Promise.all([
      run({ kills: 40, seed, store: 'keychain', powerLoss: false }),
      run({ kills: 40, seed, store: 'sealed', powerLoss: false }),
      run({ kills: 20, seed, store: 'sealed', powerLoss: true }),
    ])
    expect(results.flatMap(({ violations }) => violations)).toEqual([])
    expect(sum(results, total)).toBeGreaterThanOrEqual(100)
    expect(sum(results, ({ answered }) => answered)).toBeGreaterThan(100)
    const deaths = new Set(results.flatMap((result) => Object.keys(result.deaths)).map((how) => how.replace(' while starting', '')))
    for (const point of POINTS) expect(deaths).toContain(point)
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
