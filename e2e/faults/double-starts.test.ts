// Two hosts started at the same moment, again and again.

import { expect, test } from 'vitest'
import { freshHome } from '../support/host.ts'
import { tryHost } from '../support/try-host.ts'
import { observed, times } from './observed.ts'

const ROUNDS = times(3, 200)

test('of two hosts started at once exactly one owns the folder, every time', { timeout: 60_000 + ROUNDS * 20_000 }, async () => {
  const home = freshHome()
  const took: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const began = performance.now()
    const start = () => tryHost(home).then((tried) => ({ ...tried, ms: performance.now() - began }))
    const both = await Promise.all([start(), start()])
    const [owner, second] = both.toSorted((a, b) => Number(a.code !== null) - Number(b.code !== null))
    expect(both.map(({ said }) => `${said?.event}`).toSorted(), `round ${round}`).toEqual(['already running', 'ready'])
    expect({ code: second?.code, complaints: both.map(({ stderr }) => stderr) }).toEqual({ code: 0, complaints: ['', ''] })
    took.push(second?.ms ?? Infinity)
    // Killed, so that the next two also find a lock and a socket that nobody let go of.
    await owner?.end()
  }
  took.sort((a, b) => a - b)
  observed({
    fault: 'two hosts started at once',
    clientSaw: [],
    tookMs: took[Math.floor(took.length / 2)] ?? 0,
    limitMs: 1000,
    kept: 'exactly one owner each time',
    rounds: ROUNDS,
    slowestMs: Math.round(took.at(-1) ?? 0),
  })
})
