// What a policy says about the secrets there are, by the same `decide` that answers clients.

import { decide } from '../../../src-shared/decide.ts'
import type { Policy } from '../../../src-shared/policy.ts'

export interface Matches {
  visible: string[]
  /** Names that a deny pattern takes away from what is allowed, and the pattern. */
  denied: { name: string; by: string }[]
  /** How many names no pattern speaks of. */
  outside: number
}

export function matchesOf(policy: Policy, names: readonly string[]): Matches {
  const matches: Matches = { visible: [], denied: [], outside: 0 }
  for (const secret of names) {
    const verdict = decide(
      { clientId: '', act: 'see', tool: 'list_secrets', secret, verified: null, digest: null },
      policy.name,
      policy,
      [],
      0,
    )
    if (verdict.kind !== 'deny') matches.visible.push(secret)
    else if (verdict.rule.by === 'deny' && isAllowed(policy, secret)) matches.denied.push({ name: secret, by: verdict.rule.with ?? '' })
    else matches.outside++
  }
  return matches
}

function isAllowed(policy: Policy, secret: string): boolean {
  return matchesOf({ ...policy, deny: [] }, [secret]).visible.length === 1
}

/** "14 secrets, 3 denied" */
export function matchesText({ visible, denied }: Matches): string {
  const seen = `${visible.length} ${visible.length === 1 ? 'secret' : 'secrets'}`
  return denied.length === 0 ? seen : `${seen}, ${denied.length} denied`
}
