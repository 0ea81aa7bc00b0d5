// Which names a client may see. Asked with every list and for every connection whenever a name comes or goes, so the last answer
// under each policy is kept: it is good for as long as the policies and the names it was made from are the very same objects.

import { maySee } from '../../src-shared/decide.ts'
import type { Policy } from '../../src-shared/policy.ts'
import type { Clients } from './clients.ts'
import type { Policies } from './policies.ts'
import type { Vault } from './vault/vault.ts'

export interface VisibleNames {
  /** Sorted. */
  names: readonly string[]
  /** The same as JSON. */
  json: string
}

interface Kept extends VisibleNames {
  of: readonly string[]
  under: readonly (Policy | null)[]
}

/** Scopes are named by clients, but only those of saved policies are asked about. */
const MOST_KEPT = 1000

export function createVisibleNames({ vault, policies, clients }: { vault: Vault; policies: Policies; clients: Clients }) {
  const kept = new Map<string, Kept>()

  /** Names that the client's own policy and, where given, a second one both let it see. */
  return (clientId: string, scope: string | null): VisibleNames => {
    const own = clients.policyOf(clientId)
    const key = JSON.stringify([own, scope])
    const bound = scope === null ? [own] : [own, scope]
    const under = bound.map((name) => policies.get(name))
    const of = vault.names()
    const before = kept.get(key)
    if (before !== undefined && before.of === of && before.under.every((policy, index) => policy === under[index])) return before

    const names = of.filter((secret) => bound.every((name, index) => maySee(clientId, secret, name, under[index] ?? null)))
    if (kept.size >= MOST_KEPT) kept.clear()
    const found = { names, json: JSON.stringify(names), of, under }
    kept.set(key, found)
    return found
  }
}
