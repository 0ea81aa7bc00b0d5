// The one decision function. `get_secret`, `list_secrets`, `test_policy` and the dry run all call it; nothing else decides.

import type { Grant } from './grant.ts'
import type { Policy } from './policy.ts'
import { matchesAny } from './glob.ts'

export type Question = {
  clientId: string
  tool: string
  /** The program that asks, if it is the one recorded for this client: no remembered yes is for any other. */
  verified: string | null
  /** Keyed digest of the whole call; null where no call is being made (tests, dry runs, lists). */
  digest: string | null
} & (
  | {
      /** `read` shows a value, `see` only a name; `write` stores or removes. */
      act: 'read' | 'see' | 'write'
      secret: string
    }
  /** Everything at once, as in a backup. No pattern speaks of that; it is the person's to decide. */
  | { act: 'write'; secret: null }
)

/** What decided, for the log, for `test_policy` and for the person. */
export interface Rule {
  policy: string
  by: 'allow' | 'deny' | 'nothing' | 'reads' | 'writes' | 'grant'
  /** The pattern or the grant's id. */
  with: string | null
}

export type Verdict =
  | { kind: 'allow'; rule: Rule; grant: Grant | null }
  | { kind: 'ask'; rule: Rule; mayRemember: boolean }
  | { kind: 'deny'; why: 'outside' | 'never'; rule: Rule }

/** `policy` is null when the client's policy is missing or was tampered with: then everything is outside it. */
export function decide(question: Question, policyName: string, policy: Policy | null, grants: readonly Grant[], mono: number): Verdict {
  const rule = (by: Rule['by'], what: string | null = null): Rule => ({ policy: policyName, by, with: what })
  if (policy === null) return { kind: 'deny', why: 'outside', rule: rule('nothing') }
  if (question.secret !== null) {
    const denied = matchesAny(policy.deny, question.secret)
    if (denied !== null) return { kind: 'deny', why: 'outside', rule: rule('deny', denied) }
    const allowed = matchesAny(policy.allow, question.secret)
    if (allowed === null) return { kind: 'deny', why: 'outside', rule: rule('nothing') }
    if (question.act === 'see') return { kind: 'allow', rule: rule('allow', allowed), grant: null }
  }
  if (question.act === 'read') {
    if (policy.reads === 'never') return { kind: 'deny', why: 'never', rule: rule('reads', 'never') }
    if (policy.reads === 'always') return { kind: 'allow', rule: rule('reads', 'always'), grant: null }
  }
  const grant = grants.find((candidate) => covers(candidate, question, policy) && !ended(candidate, mono))
  if (grant !== undefined) return { kind: 'allow', rule: rule('grant', grant.id), grant }
  if (question.act === 'write') return { kind: 'ask', rule: rule('writes'), mayRemember: false }
  return { kind: 'ask', rule: rule('reads', policy.reads), mayRemember: policy.reads === 'first' }
}

/** Whether a policy lets a client know a name, as in a list. */
export function maySee(clientId: string, secret: string, policyName: string, policy: Policy | null): boolean {
  const question = { clientId, act: 'see', tool: 'list_secrets', secret, verified: null, digest: null } as const
  return decide(question, policyName, policy, [], 0).kind === 'allow'
}

function covers(grant: Grant, question: Question, policy: Policy): boolean {
  if (grant.clientId !== question.clientId) return false
  if (grant.covers === 'call') return grant.digest === question.digest && grant.tool === question.tool
  // *ask* means every time: a memory from the days of *first* does not count.
  const sameProgram = question.verified !== null && grant.program === question.verified
  return sameProgram && question.act === 'read' && policy.reads === 'first' && grant.name === question.secret
}

export function ended(grant: Grant, mono: number): boolean {
  return grant.end.kind === 'time' && mono >= grant.end.mono
}

export function ruleText(rule: Rule): string {
  switch (rule.by) {
    case 'allow':
      return `policy ${rule.policy}: allow ${rule.with}`
    case 'deny':
      return `policy ${rule.policy}: deny ${rule.with}`
    case 'nothing':
      return `policy ${rule.policy}: nothing allows it`
    case 'reads':
      return `policy ${rule.policy}: reads ${rule.with}`
    case 'writes':
      return 'every write asks a person'
    case 'grant':
      return `grant ${rule.with}`
  }
}
