// npm run bench [-- --quick] [--only stdio|http|growth] [--gate]: Countersign beside its peers, all measured in one run, in turns.
// Without --quick it also writes bench/results.json, the pictures, and the tables of the pages. --gate fails where a ratio is far off.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { barsPicture, growthPicture } from './chart.ts'
import { measureGrowth } from './growth.ts'
import { measureHttp } from './over-http.ts'
import { measureStdio } from './over-stdio.ts'
import { writePages } from './pages.ts'
import { report } from './report.ts'
import { isBroken, targetsOf, type Results } from './targets.ts'

const root = path.join(import.meta.dirname, '..')
const resultsFile = path.join(import.meta.dirname, 'results.json')
const EFFORT = {
  quick: {
    stdio: { coldRounds: 5, callRounds: 4, floodRounds: 1, floodMs: 800 },
    http: { rounds: 2, ms: 1500, warmUpMs: 2500 },
    growth: { secrets: [10, 50], clients: [1, 5], rows: [0, 10_000], sealed: [], calls: 100 },
  },
  full: {
    stdio: { coldRounds: 25, callRounds: 10, floodRounds: 3, floodMs: 2000 },
    http: { rounds: 5, ms: 4000, warmUpMs: 8000 },
    growth: { secrets: [10, 100, 1000], clients: [1, 10, 50], rows: [0, 10_000, 100_000, 1_000_000], sealed: [10, 10_000], calls: 300 },
  },
}

const { values } = parseArgs({ options: { quick: { type: 'boolean' }, gate: { type: 'boolean' }, only: { type: 'string' } } })
const mode = values.quick ? 'quick' : 'full'
const effort = EFFORT[mode]
// The growth of a gate would say little in the time a gate has.
const wants = (part: string) => (values.only === undefined ? !(values.gate && part === 'growth') : values.only === part)

/** Runs one part with what it opened, and ends all of that before the next begins. */
async function alone<T>(work: (atEnd: (end: () => Promise<void> | void) => void) => Promise<T>): Promise<T> {
  const closing: (() => Promise<void> | void)[] = []
  try {
    return await work((end) => void closing.unshift(end))
  } finally {
    for (const close of closing) await close()
  }
}

/** What the last full run found, for the parts that this one leaves out. */
function lastResults(): Pick<Results, 'stdio' | 'http' | 'growth'> {
  const nothing = { stdio: null, http: null, growth: null }
  return existsSync(resultsFile) ? (JSON.parse(readFileSync(resultsFile, 'utf8')) as Results) : nothing
}

const tell = (line: string) => void process.stderr.write(`${line}\n`)
const results: Results = {
  when: new Date().toISOString(),
  machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, load average ${loadavg()[2]?.toFixed(0)} before`,
  node: process.versions.node,
  mode,
  stdio: wants('stdio') ? await alone((atEnd) => measureStdio(atEnd, effort.stdio)) : null,
  http: wants('http') ? await alone((atEnd) => measureHttp(atEnd, effort.http)) : null,
  growth: wants('growth') ? await alone((atEnd) => measureGrowth(atEnd, effort.growth, tell)) : null,
}
process.stdout.write(`${report(results)}\n`)

if (mode === 'full') {
  const { stdio, http, growth } = lastResults()
  const all = { ...results, stdio: results.stdio ?? stdio, http: results.http ?? http, growth: results.growth ?? growth }
  writeFileSync(resultsFile, `${JSON.stringify(all, null, 2)}\n`)
  writeFileSync(path.join(root, 'docs', 'images', 'bench.svg'), barsPicture(all))
  if (all.growth) writeFileSync(path.join(root, 'docs', 'images', 'bench-growth.svg'), growthPicture(all.growth))
  writePages(all)
}
const broken = values.gate ? targetsOf(results).filter(isBroken) : []
for (const { what, figure, gate } of broken) tell(`far off: ${what}: ${figure.toFixed(2)} (the gate is at ${gate})`)
process.exit(broken.length === 0 ? 0 : 1)
