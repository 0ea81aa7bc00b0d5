import type { Policy, Reads } from '../../../src-shared/policy.ts'

export const NEW_POLICY: Policy = { name: '', description: '', allow: [], deny: [], reads: 'first' }

/** A rule that another screen proposes: `pattern` for a list of `policy`. Null where the address holds none. */
export interface Draft {
  policy: string
  list: 'allow' | 'deny'
  pattern: string
}

/** As JSON in the address, which anybody may have written. */
export function draftOf(params: URLSearchParams): Draft | null {
  const draft = parsed(params.get('draft') ?? '')
  if (typeof draft !== 'object' || draft === null || !('policy' in draft) || !('list' in draft) || !('pattern' in draft)) return null
  const { policy, list, pattern } = draft
  if (typeof policy !== 'string' || typeof pattern !== 'string' || pattern === '') return null
  return list === 'allow' || list === 'deny' ? { policy, list, pattern } : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export function withDraft(policy: Policy, draft: Draft | null): Policy {
  if (draft === null || draft.policy !== policy.name || policy[draft.list].includes(draft.pattern)) return policy
  return { ...policy, [draft.list]: [...policy[draft.list], draft.pattern] }
}

export function isSame(a: Policy, b: Policy): boolean {
  const text = ({ name, description, allow, deny, reads }: Policy) => JSON.stringify([name, description, allow, deny, reads])
  return text(a) === text(b)
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** What is wrong with the name of a new policy, as a sentence; null when nothing is. */
export function policyNameFault(name: string, taken: readonly string[]): string | null {
  if (!NAME.test(name)) return 'A name has 1 to 64 letters, digits, . _ or - and starts with a letter or digit.'
  return taken.includes(name) ? 'There is a policy of this name.' : null
}

export const READS: Record<Reads, { label: string; says: string }> = {
  always: { label: 'Always', says: 'Values are given without asking. Every read is on record.' },
  first: { label: 'Ask the first time', says: 'You are asked the first time a client reads a secret, and choose how long that counts.' },
  ask: { label: 'Ask every time', says: 'You are asked about each read. Nothing is remembered.' },
  never: { label: 'Never', says: 'Names are visible, values are not: no model ever reads one.' },
}
