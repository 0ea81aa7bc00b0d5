// The calls of the past decided once more: what would a policy have changed? By the same `decide` that decides calls.

import { decide, type Question, type Verdict } from './decide.ts'
import type { Grant } from './grant.ts'
import type { Policy } from './policy.ts'

/** Equal calls of the past. */
export interface PastCalls {
  client: string
  tool: string
  secret: string
  /** A grant let them through: one that may have ended since. */
  granted: boolean
  calls: number
}

/** What an edit would have changed for one client. */
export interface DryRunChange {
  client: string
  was: Verdict['kind']
  now: Verdict['kind']
  calls: number
  /** Some of the names concerned, those with most calls first, and how many more there are. */
  secrets: string[]
  more: number
}

export interface DryRun {
  /** Wall time of the first call looked at. */
  from: number
  /** How many calls were decided once more. */
  calls: number
  /** Most calls first; what stays as it was is left out. */
  changes: DryRunChange[]
}

export interface DryRunQuestion {
  /** Null where there is none, or none that is ours: then everything was refused. */
  saved: Policy | null
  edited: Policy
  grants: readonly Grant[]
  mono: number
}

const NAMED = 5
const THEN = 'then'

const ACTS: Partial<Record<string, Question['act']>> = { get_secret: 'read', store_secret: 'write', remove_secret: 'write' }

export function dryRun(past: Iterable<PastCalls>, question: DryRunQuestion): Omit<DryRun, 'from'> {
  const changes = new Map<string, { change: Omit<DryRunChange, 'secrets' | 'more'>; names: Map<string, number> }>()
  let total = 0
  for (const calls of past) {
    const verdicts = decideTwice(calls, question)
    if (verdicts === null) continue
    total += calls.calls
    const { was, now } = verdicts
    if (was === now) continue
    const key = JSON.stringify([calls.client, was, now])
    const found = changes.get(key) ?? { change: { client: calls.client, was, now, calls: 0 }, names: new Map() }
    changes.set(key, found)
    found.change.calls += calls.calls
    found.names.set(calls.secret, (found.names.get(calls.secret) ?? 0) + calls.calls)
  }
  return { calls: total, changes: [...changes.values()].map(({ change, names }) => withNames(change, names)).toSorted(bySize) }
}

function decideTwice({ client, tool, secret, granted }: PastCalls, { saved, edited, grants, mono }: DryRunQuestion) {
  const act = ACTS[tool]
  if (act === undefined) return null
  const asked: Question = { clientId: client, act, tool, secret, verified: THEN, digest: null }
  const remembered: Grant = { id: THEN, clientId: client, since: 0, end: { kind: 'always' }, covers: 'reads', name: secret, program: THEN }
  // Which program it was then is not asked: every call of the past counts as one of the program that was remembered.
  const ofThen = grants.map((grant) => (grant.covers === 'reads' ? { ...grant, program: THEN } : grant))
  const known = granted ? [...ofThen, remembered] : ofThen
  const verdict = (policy: Policy | null) => decide(asked, edited.name, policy, known, mono).kind
  return { was: verdict(saved), now: verdict(edited) }
}

function withNames(change: Omit<DryRunChange, 'secrets' | 'more'>, names: Map<string, number>): DryRunChange {
  const secrets = [...names].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([name]) => name)
  return { ...change, secrets: secrets.slice(0, NAMED), more: Math.max(0, secrets.length - NAMED) }
}

/** What would be refused first, then by the number of calls. */
function bySize(a: DryRunChange, b: DryRunChange): number {
  return Number(b.now === 'deny') - Number(a.now === 'deny') || b.calls - a.calls || (a.client < b.client ? -1 : 1)
}
