import { closeSync, fchmodSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AuditFilter, AuditRow, LedgerEntry } from '../../../src-shared/audit.ts'
import { canonical } from '../../../src-shared/canonical.ts'
import { tellsOfOthers, type Bound } from './bounded.ts'
import { hiddenRows } from './counting.ts'
import { AuditError } from './errors.ts'
import { inTime, matchingShapes, seqRange } from './filtering.ts'
import type { Log } from './lexicon.ts'
import { rowMaker, storedRow } from './querying.ts'
import type { ExportFormat } from './requests.ts'
import { asStored, entryOf } from './stored.ts'

const CHUNK_BYTES = 256 * 1024

/** One line per row of the audit screen, oldest first, with what its latest entry adds. The file must not exist yet. */
export async function exportRows(
  log: Log,
  filter: AuditFilter,
  format: ExportFormat,
  path: string,
  bound: Bound | null,
): Promise<{ rows: number; others: number }> {
  const file = create(path)
  try {
    // The umask may have taken something from the mode.
    fchmodSync(file, 0o600)
    const rows = await writeRows(log, filter, format, file, bound)
    fsyncSync(file)
    return { rows, others: bound === null ? 0 : hiddenRows(log, filter, bound) }
  } catch (error) {
    // Half an export would pass for a whole one.
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
}

function create(path: string): number {
  try {
    return openSync(path, 'wx', 0o600)
  } catch (error) {
    throw new AuditError(whyNot(error), { cause: error })
  }
}

function whyNot(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null
  switch (code) {
    case 'EEXIST':
      return 'the file already exists'
    case 'ENOENT':
    case 'ENOTDIR':
      return 'its folder is missing'
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'its folder may not be written'
    default:
      return `the file cannot be made (${String(code)})`
  }
}

async function writeRows(log: Log, filter: AuditFilter, format: ExportFormat, file: number, bound: Bound | null): Promise<number> {
  let buffer = format === 'csv' ? csvLine(COLUMNS) : ''
  let rows = 0
  let seen = 0
  for (const exported of matching(log, filter, bound)) {
    if (exported) {
      buffer += format === 'csv' ? csvLine(COLUMNS.map((column) => cell(exported[column]))) : `${JSON.stringify(exported)}\n`
      rows += 1
    }
    if (buffer.length > CHUNK_BYTES) {
      writeAll(file, buffer)
      buffer = ''
    }
    if (++seen % 2_000 === 0) await nextTurn()
  }
  writeAll(file, buffer)
  return rows
}

const COLUMNS = [
  'seq',
  'time',
  'event',
  'client',
  'tool',
  'secret',
  'outcome',
  'rule',
  'approver',
  'call',
  'peer',
  'standing',
  'fingerprint',
  'detail',
] as const

type Exported = Omit<AuditRow, 'wall'> & { time: string } & Pick<LedgerEntry, 'peer' | 'standing' | 'fingerprint' | 'detail'>

/** Null for a row that does not match, so that the caller can pause in a long stretch of them. */
function* matching(log: Log, filter: AuditFilter, bound: Bound | null): Generator<Exported | null> {
  const { db, lexicon } = log
  const range = seqRange(db, filter.from, filter.to)
  if (range === null) return
  const shapes = matchingShapes(log, filter, bound)
  const describe = rowMaker(log)
  const latest = db.prepare('SELECT seq, body, mac FROM ledger WHERE seq = ?')
  for (const raw of db
    .prepare('SELECT seq, last, wall, shape, call FROM projection WHERE seq BETWEEN ? AND ? ORDER BY seq')
    .iterate(range.first, range.last)) {
    const row = storedRow(raw)
    if ((shapes && !shapes.has(row.shape)) || !inTime(row.wall, filter.from, filter.to)) {
      yield null
      continue
    }
    const { wall, ...shown } = describe(row)
    const found = asStored(latest.get(row.last))
    const entry = found && entryOf(found, lexicon.words)
    yield {
      ...shown,
      time: new Date(wall).toISOString(),
      peer: entry?.peer ?? null,
      standing: entry?.standing ?? null,
      fingerprint: entry?.fingerprint ?? null,
      detail: bound !== null && tellsOfOthers(shown.tool) ? {} : (entry?.detail ?? {}),
    }
  }
}

function cell(value: Exported[keyof Exported]): string {
  if (value === null) return ''
  if (typeof value === 'object') return canonical(value)
  return String(value)
}

/** RFC 4180: fields in quotes, quotes doubled, lines ended by CRLF. */
function csvLine(cells: readonly string[]): string {
  return `${cells.map((text) => `"${defused(text).replaceAll('"', '""')}"`).join(',')}\r\n`
}

/** A spreadsheet would run a cell that begins like this as a formula; names and rules are not all ours. */
function defused(text: string): string {
  // Nearly every cell begins like this, and the pattern below takes its time.
  if (/^[A-Za-z0-9]/.test(text)) return text
  return /^[\s\p{Cc}\p{Cf}]*[=+\-@|%＝＋－＠]|^[\t\r\n]/u.test(text) ? `'${text}` : text
}

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at)
}
