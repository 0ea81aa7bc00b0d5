// npm run bench:audit [-- ROWS]: how long a person waits for the audit screen of a long log, beside a plain look at every row in memory.

import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { AuditFilter, AuditRow } from '../src-shared/audit.ts'
import { openAudit, type Audit } from '../src-main/host/audit/audit.ts'
import { fill, movableClock } from './calls.ts'

const ROWS = Number(process.argv[2] ?? 1_000_000)
const DAYS = 90
const DAY = 86_400_000
const PAGE = 100
const TIMES = 9
const workerPath = path.join(import.meta.dirname, '..', 'src-main', 'host', 'audit', 'worker.ts')

interface Measure {
  what: string
  target: number
  host: () => Promise<unknown>
  /** The same answer, from an array of all rows, newest first. */
  scan: (rows: readonly AuditRow[]) => unknown
}

const folder = mkdtempSync(path.join(tmpdir(), 'countersign-bench-'))
try {
  process.exitCode = (await bench()) ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function bench(): Promise<boolean> {
  const clock = movableClock(Date.now() - DAYS * DAY)
  let anchor: string | null = null
  const open = () =>
    openAudit({
      folder,
      chainKey: Buffer.alloc(32, 7),
      chainKeyIsNew: false,
      anchor: {
        read: async () => anchor,
        write: async (text) => {
          anchor = text
        },
      },
      clock,
      boot: 'bench',
      workerPath,
    })

  const filling = await open()
  const began = performance.now()
  await fill({ audit: filling, clock, rows: ROWS, spanMs: DAYS * DAY })
  const filled = (performance.now() - began) / 1000
  await filling.close()
  const megabytes = statSync(path.join(folder, 'audit.db')).size / 1_000_000
  say(`${ROWS} rows over ${DAYS} days, written in ${filled.toFixed(0)} s, ${megabytes.toFixed(0)} MB on disk\n`)

  const opened = await quickest(3, async () => {
    const audit = await open()
    await audit.query({}, null, PAGE)
    return () => audit.close()
  })
  const audit = await open()
  const rows = await everything(audit)

  say(`${'what'.padEnd(44)}${'host'.padStart(10)}${'target'.padStart(10)}${'in memory'.padStart(12)}${'ratio'.padStart(9)}`)
  report('first page after opening the log', opened, 300, await quickest(TIMES, async () => rows.slice(0, PAGE)))
  let good = opened <= 300
  for (const { what, target, host, scan } of measures(audit, clock.now())) {
    const took = await quickest(TIMES, host)
    report(what, took, target, await quickest(TIMES, async () => scan(rows)))
    good &&= took <= target
  }
  await audit.close()
  return good
}

function measures(audit: Audit, now: number): Measure[] {
  const page = (what: string, filter: AuditFilter, skip: number, target: number): Measure => ({
    what,
    target,
    host: () => audit.query(filter, null, PAGE, skip),
    scan: (rows) => rows.filter((row) => passes(row, filter)).slice(skip, skip + PAGE),
  })
  const counted = (what: string, filter: AuditFilter): Measure[] => [
    {
      what: `count: ${what}`,
      target: 100,
      host: () => audit.totals(filter),
      scan: (rows) => rows.reduce((sum, row) => sum + (passes(row, filter) ? 1 : 0), 0),
    },
    { what: `facets: ${what}`, target: 100, host: () => audit.facets(filter), scan: (rows) => tally(rows, filter) },
    {
      what: `histogram: ${what}`,
      target: 100,
      host: () => audit.histogram(filter, now - DAYS * DAY, now, 90),
      scan: (rows) => bars(rows, filter),
    },
  ]
  const one: AuditFilter = { client: ['cursor'], outcome: ['denied'] }
  const day: AuditFilter = { from: now - DAY }
  const text: AuditFilter = { text: 'stripe' }
  const none: AuditFilter = { client: ['nobody'] }
  return [
    page('next page', {}, PAGE, 50),
    page('page in the middle', {}, Math.floor(ROWS / 2), 50),
    page('last page', {}, ROWS - PAGE, 50),
    page('filter: client:cursor outcome:denied', one, 0, 100),
    page('  its page in the middle', one, Math.floor(ROWS / 200), 100),
    page('filter: last:24h', day, 0, 100),
    page('filter: stripe (free text)', text, 0, 100),
    page('  its page in the middle', text, Math.floor(ROWS / 20), 100),
    page('filter: nothing matches', none, 0, 100),
    ...counted('everything', {}),
    ...counted('client:cursor outcome:denied', one),
    ...counted('stripe (free text)', text),
  ]
}

function passes(row: AuditRow, { client, outcome, from, text }: AuditFilter): boolean {
  if (client && !(row.client !== null && client.includes(row.client))) return false
  if (outcome && !(row.outcome !== null && outcome.includes(row.outcome))) return false
  if (from !== undefined && row.wall < from) return false
  return text === undefined || [row.client, row.tool, row.secret, row.rule, row.event].some((word) => word?.toLowerCase().includes(text))
}

function tally(rows: readonly AuditRow[], filter: AuditFilter): Map<string, number> {
  const counts = new Map<string, number>()
  for (const row of rows) {
    if (!passes(row, filter)) continue
    for (const value of [row.client, row.tool, row.secret, row.outcome, row.event]) {
      if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1)
    }
  }
  return counts
}

function bars(rows: readonly AuditRow[], filter: AuditFilter): Map<string, number> {
  const counts = new Map<string, number>()
  for (const row of rows) {
    if (!passes(row, filter)) continue
    const bar = `${Math.floor(row.wall / DAY)} ${row.outcome}`
    counts.set(bar, (counts.get(bar) ?? 0) + 1)
  }
  return counts
}

async function everything(audit: Audit): Promise<AuditRow[]> {
  const all: AuditRow[] = []
  let before: number | null = null
  do {
    const page = await audit.query({}, before, 1000)
    all.push(...page.rows)
    before = page.before
  } while (before !== null)
  return all
}

/** Of so many times: whatever a slower one took on top, other programs took. What it returns is ended after the clock stops. */
async function quickest(times: number, work: () => Promise<unknown>): Promise<number> {
  let best = Infinity
  for (let n = 0; n < times; n++) {
    const began = performance.now()
    const end = await work()
    best = Math.min(best, performance.now() - began)
    if (typeof end === 'function') await end()
  }
  return best
}

function report(what: string, host: number, target: number, scan: number): void {
  const flag = host <= target ? '' : '  over'
  const ms = (n: number, width: number) => `${n.toFixed(1)} ms`.padStart(width)
  say(
    `${what.padEnd(44)}${ms(host, 10)}${`${target} ms`.padStart(10)}${ms(scan, 12)}${(host / Math.max(scan, 0.01)).toFixed(2).padStart(9)}${flag}`,
  )
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
