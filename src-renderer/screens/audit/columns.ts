import { decidedBy, type AuditRow } from '../../../src-shared/audit.ts'
import { choose, within } from '../../../src-shared/query-edits.ts'
import { parseQuery, printQuery, type QueryField } from '../../../src-shared/query.ts'
import { absolute } from '../../ui/time.ts'

export const COLUMNS = ['when', 'client', 'what', 'secret', 'outcome', 'why'] as const
export type Column = (typeof COLUMNS)[number]

export const COLUMN_LABELS: Record<Column, string> = {
  when: 'When',
  client: 'Client',
  what: 'What',
  secret: 'Secret',
  outcome: 'Outcome',
  why: 'Decided by',
}

export interface CellValue {
  /** As it is copied. */
  text: string
  /** The query narrowed to what has this value, and to what has not; null where that cannot be asked. */
  only: ((query: string) => string) | null
  not: ((query: string) => string) | null
}

const AROUND_MS = 5 * 60_000

/** What a cell holds; null where it is empty. */
export function cellOf(row: AuditRow, column: Column): CellValue | null {
  switch (column) {
    case 'when': {
      const time = { from: row.wall - AROUND_MS, to: row.wall + AROUND_MS }
      return { text: absolute(row.wall), only: (query) => within(query, time), not: null }
    }
    case 'client':
      return valueOf('client', row.client)
    case 'what':
      return row.event === 'call' && row.tool !== null ? valueOf('tool', row.tool) : valueOf('event', row.event)
    case 'secret':
      return valueOf('secret', row.secret)
    case 'outcome':
      return valueOf('outcome', row.outcome)
    case 'why': {
      const text = decidedBy(row)
      const { rule } = row
      return text === '' ? null : { text, only: rule === null ? null : (query) => searching(query, rule), not: null }
    }
  }
}

export function valueOf(field: QueryField, value: string | null): CellValue | null {
  if (value === null) return null
  return { text: value, only: (query) => choose(query, field, value, 'only'), not: (query) => choose(query, field, value, 'not') }
}

/** One text at a time: two would have to stand beside each other. */
function searching(query: string, text: string): string {
  const others = parseQuery(query).terms.filter(({ kind }) => kind !== 'text')
  return printQuery([...others, { kind: 'text', text }])
}
