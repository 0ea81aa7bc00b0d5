import path from 'node:path'
import { behindText, decidedBy, type AuditFilter, type AuditPage, type AuditRow, type VerifyReport } from '../../src-shared/audit.ts'
import { EXIT, type Exit } from './exit.ts'
import { ask, withHost } from './host.ts'
import type { Io } from './io.ts'
import type { Output } from './output.ts'

const PAGE = 1000

export async function showAudit(io: Io, filter: AuditFilter, limit: number): Promise<Output> {
  const { rows, others } = await withHost(io, async (link) => {
    const found: AuditRow[] = []
    let kept = 0
    let before: number | null = null
    do {
      const page: AuditPage = await ask(link, 'audit.query', {
        filter,
        before,
        limit: Math.min(PAGE, limit - found.length),
      })
      found.push(...page.rows)
      kept += page.others ?? 0
      before = page.before
    } while (before !== null && found.length < limit)
    return { rows: found, others: kept }
  })
  const head = ['seq', 'time', 'client', 'what', 'secret', 'outcome', 'decided by']
  return { json: { rows, others }, head, rows: rows.map(cells), foot: othersText(others) }
}

/** What the log holds beside what the command line may read of it. */
function othersText(others: number): string | null {
  return others === 0 ? null : `and ${others} ${others === 1 ? 'other' : 'others'} outside the policy of the command line`
}

function cells(row: AuditRow): string[] {
  return [
    String(row.seq),
    new Date(row.wall).toISOString(),
    row.client ?? '',
    row.event === 'call' ? (row.tool ?? 'unknown') : row.event,
    row.secret ?? '',
    row.outcome ?? '',
    decidedBy(row),
  ]
}

export async function exportAudit(io: Io, filter: AuditFilter, file: string, format: 'jsonl' | 'csv'): Promise<Output> {
  const full = path.resolve(io.cwd, file)
  const { rows, others } = await withHost(io, (link) => ask(link, 'audit.export', { filter, format, path: full }))
  const left = othersText(others)
  return {
    json: { file: full, format, rows, others },
    lines: [`Exported ${rows} entries to ${full}`],
    note: left && `${left}, which were left out`,
  }
}

export async function verifyAudit(io: Io): Promise<Output> {
  const report = await withHost(io, (link) => ask(link, 'audit.verify', {}))
  const breaks = report.breaks.map(
    ({ seq, wall, found, acknowledged }) =>
      `A segment begins at entry ${seq} (${new Date(wall).toISOString()}), because the log before it was found ${found === 'behind' ? 'cut off' : found}${acknowledged ? '' : '; not acknowledged yet'}.`,
  )
  const { line, exit } = verdict(report)
  return { json: report, lines: [line, ...breaks], exit }
}

export function verdict(report: VerifyReport): { line: string; exit: Exit } {
  switch (report.state) {
    case 'ok':
      return { line: `The log is intact: ${report.entries} entries, up to ${report.head}.`, exit: EXIT.ok }
    case 'tampered':
      return {
        line: `The log was tampered with: entry ${report.badSeq} is the first that does not hold. ${report.reason}`,
        exit: EXIT.failure,
      }
    case 'no key':
      return { line: `The log cannot be verified without its key. ${report.reason}`, exit: EXIT.noKey }
    case 'behind':
      return { line: `${behindText(report)} ${report.reason}`, exit: EXIT.behind }
  }
}
