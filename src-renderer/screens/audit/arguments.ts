import type { LedgerEntry } from '../../../src-shared/audit.ts'
import { TOOLS } from '../../../src-shared/tools.ts'

export interface Argument {
  name: string
  /** Null for what is never written down: values, and everything in a call that broke its schema. */
  value: string | null
}

/** Arguments that name a secret, which the entry has. */
const NAMES_SECRET = ['name', 'secret_name']

/** What a call was made with, as far as it is on record. */
export function argumentsOf({ event, tool, secret, detail }: Pick<LedgerEntry, 'event' | 'tool' | 'secret' | 'detail'>): Argument[] {
  if (event !== 'call') return []
  const { fields } = detail
  if (Array.isArray(fields)) return fields.filter((name) => typeof name === 'string').map((name) => ({ name, value: null }))
  const known = TOOLS.find(({ name }) => name === tool)
  const required = known?.inputSchema.required ?? []
  return required.map((name) => ({ name, value: NAMES_SECRET.includes(name) ? secret : null }))
}
