// npm run bench:audit [-- ROWS]: how long a person waits for the audit screen of a long log, beside a plain look at every row in memory.

import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { AuditRow } from '../src-shared/audit.ts'
import { openAudit, type Audit } from '../src-main/host/audit/audit.ts'
import { fill, movableClock } from './calls.ts'
import { DAY, DAYS, PAGE, questions, quickest } from './questions.ts'

const ROWS = Number(process.argv[2] ?? 1_000_000)
const TIMES = 9
const workerPath = path.join(import.meta.dirname, '..', 'dist', 'audit-worker.js')

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
  for (const { what, target, ask, scan } of questions(ROWS, clock.now())) {
    const took = await quickest(TIMES, () => ask(audit))
    report(what, took, target, await quickest(TIMES, async () => scan(rows)))
    good &&= took <= target
  }
  await audit.close()
  return good
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
