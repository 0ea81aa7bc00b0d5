// What the counters say about the last days: who used which secret, and which calls a policy is tried out on.

import type { SecretUses } from '../../../src-shared/secret.ts'
import { dryRun, type DryRun, type DryRunQuestion, type PastCalls } from '../../../src-shared/dry-run.ts'
import { eachCount } from './counting.ts'
import type { Log } from './lexicon.ts'

/** Reads that were let through, between one edge and the next, by secret and client. */
export function usesBetween(log: Log, edges: readonly number[]): SecretUses[] {
  const found = new Map<string, { counts: number[]; clients: Map<string, number> }>()
  for (const [index, [from, to]] of spans(edges).entries()) {
    eachCall(log, from, to, ({ client, tool, secret, outcome }, calls) => {
      if (tool !== 'get_secret' || outcome !== 'allowed' || secret === null || client === null) return
      const uses = found.get(secret) ?? { counts: spans(edges).map(() => 0), clients: new Map() }
      found.set(secret, uses)
      uses.counts[index] = (uses.counts[index] ?? 0) + calls
      uses.clients.set(client, (uses.clients.get(client) ?? 0) + calls)
    })
  }
  return [...found].map(([name, { counts, clients }]) => ({
    name,
    counts,
    clients: [...clients].toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([client, calls]) => ({ client, calls })),
  }))
}

/** The calls of these clients, decided once more. */
export function tryPolicy(log: Log, from: number, to: number, clients: readonly string[], question: DryRunQuestion): DryRun {
  const bound = new Set(clients)
  const past = new Map<string, PastCalls>()
  eachCall(log, from, to, ({ client, tool, secret, approver }, calls) => {
    if (client === null || tool === null || secret === null || !bound.has(client)) return
    const granted = approver === 'grant'
    const key = JSON.stringify([client, tool, secret, granted])
    const known = past.get(key)
    if (known === undefined) past.set(key, { client, tool, secret, granted, calls })
    else known.calls += calls
  })
  return { from, ...dryRun(past.values(), question) }
}

type Spelled = Record<'client' | 'tool' | 'secret' | 'outcome' | 'approver', string | null>

function eachCall({ db, lexicon }: Log, from: number, to: number, visit: (call: Spelled, times: number) => void): void {
  const callEvent = lexicon.words.idOf('call')
  const { word } = lexicon.words
  const counts = new Map<number, number>()
  eachCount(db, from, to, (_, pairs) => {
    for (let at = 0; at + 1 < pairs.length; at += 2) {
      const shape = pairs[at] ?? 0
      counts.set(shape, (counts.get(shape) ?? 0) + (pairs[at + 1] ?? 0))
    }
  })
  for (const [id, times] of counts) {
    const [client, tool, secret, outcome, event, , approver] = lexicon.shape(id)
    if (event !== callEvent) continue
    visit({ client: word(client), tool: word(tool), secret: word(secret), outcome: word(outcome), approver: word(approver) }, times)
  }
}

function spans(edges: readonly number[]): [from: number, to: number][] {
  return edges.slice(1).map((to, index) => [edges[index] ?? to, to])
}
