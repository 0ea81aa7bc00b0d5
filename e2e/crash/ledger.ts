// The log as it lies on disk, read beside the host that writes it: what became of each call, in the log's own words.

import { isDeepStrictEqual } from 'node:util'
import type { LedgerEntry } from '../../src-shared/audit.ts'
import { openForReading } from '../../src-main/host/audit/schema.ts'
import { asStored, entryOf } from '../../src-main/host/audit/stored.ts'
import { WordReader } from '../../src-main/host/audit/words.ts'

/** Everything that was written about one call, oldest first. */
export interface Story {
  id: string
  /** What the client called itself, by which the machine knows its calls; null for the person's own. */
  label: string | null
  client: string | null
  intents: LedgerEntry[]
  outcomes: LedgerEntry[]
  opened: LedgerEntry[]
  ended: LedgerEntry[]
}

export interface Ledger {
  stories: Map<string, Story>
  byLabel: Map<string, Story[]>
  /** Reads what is new. Returns what is wrong with the rest: an entry that was there is there for ever. */
  read: (file: string) => string[]
}

export function createLedger(): Ledger {
  const stories = new Map<string, Story>()
  const byLabel = new Map<string, Story[]>()
  let last: LedgerEntry | null = null

  const take = (entry: LedgerEntry): void => {
    if (entry.call === null) return
    const known = stories.get(entry.call)
    const story = known ?? newStory(entry)
    if (known === undefined) {
      stories.set(entry.call, story)
      if (story.label !== null) byLabel.set(story.label, [...(byLabel.get(story.label) ?? []), story])
    }
    if (entry.kind === 'intent') story.intents.push(entry)
    else if (entry.kind === 'outcome') story.outcomes.push(entry)
    else if (entry.event === 'approval.opened') story.opened.push(entry)
    else if (entry.event === 'approval.ended') story.ended.push(entry)
  }

  return {
    stories,
    byLabel,
    read: (file) => {
      const db = openForReading(file)
      try {
        const words = new WordReader(db)
        const rows = db.prepare('SELECT seq, body, mac FROM ledger WHERE seq >= ? ORDER BY seq').all(last?.seq ?? 0)
        const entries = rows.map((row) => entryOf(asStored(row) ?? { seq: 0, body: '', mac: new Uint8Array() }, words))
        const found = last !== null && !isDeepStrictEqual(entries.shift(), last) ? [`entry ${last.seq} of the log is gone or another`] : []
        for (const entry of entries) take(entry)
        last = entries.at(-1) ?? last
        return found
      } finally {
        db.close()
      }
    },
  }
}

/** The version that every client of the machine gives after its name. */
export const LABEL_END = ' 1'

function newStory(entry: LedgerEntry): Story {
  const { says } = entry.detail
  const label = typeof says === 'string' && says.endsWith(LABEL_END) ? says.slice(0, -LABEL_END.length) : null
  return { id: entry.call ?? '', label, client: entry.client, intents: [], outcomes: [], opened: [], ended: [] }
}

/** It says that something was changed, by this call itself. */
export function isApplied(story: Story): boolean {
  const [outcome] = story.outcomes
  if (outcome === undefined || story.intents.length === 0) return false
  if (outcome.outcome === 'recovered') return outcome.detail['effect'] === 'applied'
  return outcome.outcome === 'allowed' && outcome.detail['reason'] === undefined
}

/** A secret's versions after everything that was applied; the newest one is current. */
export function replay(stories: Iterable<Story>): Map<string, Map<number, Story>> {
  const stored = new Map<string, Map<number, Story>>()
  const removed = new Map<string, number>()
  for (const story of stories) {
    const [outcome] = story.outcomes
    if (outcome === undefined || outcome.secret === null || !isApplied(story)) continue
    const version = Number(outcome.detail['version'])
    if (outcome.tool === 'store_secret')
      stored.set(outcome.secret, (stored.get(outcome.secret) ?? new Map<number, Story>()).set(version, story))
    if (outcome.tool === 'remove_secret') removed.set(outcome.secret, Math.max(removed.get(outcome.secret) ?? 0, version))
  }
  // A removal takes every version up to the one it names.
  const left = [...stored].map(([name, versions]) => {
    const kept = [...versions].filter(([version]) => version > (removed.get(name) ?? 0))
    return [name, new Map(kept.toSorted(([a], [b]) => b - a))] as const
  })
  return new Map(left.filter(([, versions]) => versions.size > 0))
}
