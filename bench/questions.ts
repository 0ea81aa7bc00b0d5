// What the audit screen asks of a long log, each with how long it may take, and the same answer from an array of all rows.

import type { AuditFilter, AuditRow } from '../src-shared/audit.ts'
import type { Audit } from '../src-main/host/audit/audit.ts'

export const DAYS = 90
export const DAY = 86_400_000
export const PAGE = 100

/** The log itself, or the page's way to it. */
export type AskedLog = { [Name in 'query' | 'totals' | 'facets' | 'histogram']: (...args: Parameters<Audit[Name]>) => Promise<unknown> }

interface Question {
  what: string
  /** In milliseconds. */
  target: number
  ask: (log: AskedLog) => Promise<unknown>
  /** The same answer, from an array of all rows, newest first. */
  scan: (rows: readonly AuditRow[]) => unknown
}

/** What the audit screen asks of a log of so many rows that ends now. */
export function questions(total: number, now: number): Question[] {
  const page = (what: string, filter: AuditFilter, skip: number, target: number): Question => ({
    what,
    target,
    ask: (log) => log.query(filter, null, PAGE, skip),
    scan: (rows) => rows.filter((row) => passes(row, filter)).slice(skip, skip + PAGE),
  })
  const counted = (what: string, filter: AuditFilter): Question[] => [
    {
      what: `count: ${what}`,
      target: 100,
      ask: (log) => log.totals(filter),
      scan: (rows) => rows.reduce((sum, row) => sum + (passes(row, filter) ? 1 : 0), 0),
    },
    { what: `facets: ${what}`, target: 100, ask: (log) => log.facets(filter), scan: (rows) => tally(rows, filter) },
    {
      what: `histogram: ${what}`,
      target: 100,
      ask: (log) => log.histogram(filter, now - DAYS * DAY, now, 90),
      scan: (rows) => bars(rows, filter),
    },
  ]
  const one: AuditFilter = { client: ['cursor'], outcome: ['denied'] }
  const day: AuditFilter = { from: now - DAY }
  const text: AuditFilter = { text: 'stripe' }
  const none: AuditFilter = { client: ['nobody'] }
  return [
    page('next page', {}, PAGE, 50),
    page('page in the middle', {}, Math.floor(total / 2), 50),
    page('last page', {}, total - PAGE, 50),
    page('filter: client:cursor outcome:denied', one, 0, 100),
    page('  its page in the middle', one, Math.floor(total / 200), 100),
    page('filter: last:24h', day, 0, 100),
    page('filter: stripe (free text)', text, 0, 100),
    page('  its page in the middle', text, Math.floor(total / 20), 100),
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

/** Of so many times: whatever a slower one took on top, other programs took. What it returns is ended after the clock stops. */
export async function quickest(times: number, work: () => Promise<unknown>): Promise<number> {
  let best = Infinity
  for (let n = 0; n < times; n++) {
    const began = performance.now()
    const end = await work()
    best = Math.min(best, performance.now() - began)
    if (typeof end === 'function') await end()
  }
  return best
}
