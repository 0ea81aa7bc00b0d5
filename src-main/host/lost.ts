// Of an older vault: what the log has on record that it does not hold. The log may have been changed as well, so this tells a person
// where to look, and decides nothing.

import path from 'node:path'
import type { AuditRow } from '../../src-shared/audit.ts'
import { isSecretName } from '../../src-shared/names.ts'
import { Reader } from './audit/reader.ts'
import { FILE } from './audit/schema.ts'
import type { Clock } from './ports.ts'
import { OlderStore } from './vault/open.ts'

interface Parts {
  folder: string
  clock: Clock
  workerPath: string
}

const PAGE = 1000
/** Writes that are looked at, newest first: whoever brings back an old copy loses the latest. */
const MOST_PAGES = 10
const MOST_NAMES = 20

/** The error as it is; that of an older vault with what the log knows of. */
export async function tellLost(error: unknown, parts: Parts): Promise<never> {
  if (error instanceof OlderStore) error.lost = await describeLost(error.held, parts)
  throw error
}

/** `held`: names, and since when their values are current. Empty where the log says nothing, or cannot be read. */
async function describeLost(held: ReadonlyMap<string, number>, { folder, clock, workerPath }: Parts): Promise<string> {
  const reader = new Reader(workerPath, path.join(folder, FILE), clock)
  try {
    return sentences(held, await latestWrites(reader))
  } catch {
    return ''
  } finally {
    await reader.close()
  }
}

/** The last write of each secret that is known to have been made. */
async function latestWrites(reader: Reader): Promise<Map<string, AuditRow>> {
  const latest = new Map<string, AuditRow>()
  let before: number | null = null
  for (let page = 0; page < MOST_PAGES; page++) {
    const filter = { tool: ['store_secret', 'remove_secret'], outcome: ['allowed' as const] }
    const found: { rows: AuditRow[]; before: number | null } = await reader.ask('query', {
      filter,
      before,
      limit: PAGE,
      skip: 0,
      bound: null,
    })
    for (const row of found.rows) {
      if (row.secret !== null && isSecretName(row.secret) && !latest.has(row.secret)) latest.set(row.secret, row)
    }
    before = found.before
    if (before === null) break
  }
  return latest
}

function sentences(held: ReadonlyMap<string, number>, latest: Map<string, AuditRow>): string {
  const missing: string[] = []
  const older: string[] = []
  const removed: string[] = []
  for (const [name, { tool, wall }] of latest) {
    const since = held.get(name)
    if (since === undefined) {
      if (tool === 'store_secret') missing.push(name)
    } else if (tool === 'remove_secret') removed.push(name)
    else if (since < wall) older.push(name)
  }
  const told = [
    sentence('The log knows of secrets that are missing from it', missing),
    sentence('It holds older values of', older),
    sentence('It holds what was removed', removed),
  ]
  return told.filter((text) => text !== '').join(' ')
}

const sentence = (words: string, names: readonly string[]): string => (names.length === 0 ? '' : `${words}: ${listed(names)}.`)

function listed(names: readonly string[]): string {
  const shown = names.toSorted().slice(0, MOST_NAMES)
  const rest = names.length - shown.length
  return `${shown.map((name) => `'${name}'`).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
