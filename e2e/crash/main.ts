// npm run crash -- --kills 10000 --seed 7 [--minutes 30] [--store keychain|sealed] [--power-loss] [--mutations] [--report file] [--verbose]

import { randomInt } from 'node:crypto'
import { rmSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { writeFigures } from '../support/report.ts'
import { run, total, type RunResult } from './machine.ts'
import { catchMutations, copyPrograms } from './mutations.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '1000' },
    seed: { type: 'string' },
    minutes: { type: 'string' },
    /** Without it, half of the kills go to each; a power loss can only be played with a sealed vault, which lies on our own disk. */
    store: { type: 'string' },
    'power-loss': { type: 'boolean', default: false },
    mutations: { type: 'boolean', default: false },
    report: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
})
const seed = Number(values.seed ?? randomInt(1, 1_000_000_000))
const kills = Number(values.kills)
const minutes = Number(values.minutes ?? 24 * 60)
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(kills) || Number.isNaN(minutes))
  throw new Error('--seed, --kills and --minutes are numbers.')
const { store } = values
if (store !== undefined && store !== 'keychain' && store !== 'sealed') throw new Error('--store is keychain or sealed.')
console.log(`seed ${seed}`)
const tell = (line: string) => {
  if (values.verbose || !/^seed \d+, life \d+: /.test(line)) console.log(line)
}

// Whoever has seen enough gets the figures so far, and no process is left behind.
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
const until = AbortSignal.any([stopping.signal, AbortSignal.timeout(minutes * 60_000)])

// A long run goes on with what it began with, whatever is built meanwhile.
const programs = copyPrograms('programs')
process.once('exit', () => rmSync(programs, { recursive: true, force: true }))
// Thousands of starts need not compile the same text each time.
process.env['NODE_COMPILE_CACHE'] = path.join(programs, 'compiled')

if (values.mutations) {
  const caught = await catchMutations(seed, console.log)
  finish('mutations', { seed, mutations: caught })
  if (caught.some(({ after }) => after === null)) process.exitCode = 1
} else if (values['power-loss']) {
  conclude('power-loss', [await run({ kills, seed, store: 'sealed', powerLoss: true, programs, until, tell })])
} else {
  const stores: ('keychain' | 'sealed')[] = store === undefined ? ['keychain', 'sealed'] : [store]
  const each = Math.ceil(kills / stores.length)
  conclude('kills', await Promise.all(stores.map((one) => run({ kills: each, seed, store: one, powerLoss: false, programs, until, tell }))))
}

function conclude(section: string, results: readonly RunResult[]): void {
  const figures = results.reduce(
    (sum, one) => ({
      kills: sum.kills + total(one),
      killsByVictim: added(sum.killsByVictim, one.kills),
      deathsOfHosts: added(sum.deathsOfHosts, one.deaths),
      restarts: sum.restarts + one.restarts,
      calls: sum.calls + one.calls,
      answered: sum.answered + one.answered,
      violations: [...sum.violations, ...one.violations],
      seconds: Math.max(sum.seconds, Math.round(one.ms / 1000)),
    }),
    { kills: 0, killsByVictim: {}, deathsOfHosts: {}, restarts: 0, calls: 0, answered: 0, violations: [] as string[], seconds: 0 },
  )
  console.log(`${figures.kills} kills, ${figures.restarts} restarts checked, ${figures.violations.length} violations, ${figures.seconds} s`)
  finish(section, { seed, ...figures })
  if (figures.violations.length > 0) process.exitCode = 1
}

function added(a: Record<string, number>, b: Record<string, number>): Record<string, number> {
  return Object.fromEntries([...new Set([...Object.keys(a), ...Object.keys(b)])].map((key) => [key, (a[key] ?? 0) + (b[key] ?? 0)]))
}

function finish(section: string, figures: object): void {
  writeFigures(section, figures)
  if (values.report !== undefined) writeFigures(section, figures, path.resolve(values.report))
}
