// Whatever tells a client a name goes through here: it is limited and paused as calls are, and on record before it is answered. A
// read is an entry of its own; lists and completions, which some clients ask for at every start and key, are joined.

import type { Entry, Outcome } from '../../src-shared/audit.ts'
import type { Caller } from '../../src-shared/client.ts'
import { decide, ruleText } from '../../src-shared/decide.ts'
import type { ResourceInfo } from '../../src-shared/rpc.ts'
import type { Settings } from '../../src-shared/settings.ts'
import { texts } from '../../src-shared/texts.ts'
import { newCallId } from './call.ts'
import type { Clients } from './clients.ts'
import { Refusal } from './errors.ts'
import type { Journal } from './journal.ts'
import { createJoinedCounts } from './joined-counts.ts'
import type { Limits } from './limits.ts'
import type { Policies } from './policies.ts'
import type { Clock } from './ports.ts'
import { systemEntry, whoEntry, type Detail } from './record.ts'
import { createResources, targetOf, type ResourceParts, type Target } from './resources.ts'

interface Parts extends ResourceParts {
  clients: Clients
  policies: Policies
  clock: Clock
  settings: () => Settings
  journal: Pick<Journal, 'append'>
  limits: Pick<Limits, 'admit'>
  pausedText: () => string | null
}

type About = Pick<Entry, 'secret' | 'rule' | 'detail'>

export function recordedResources(parts: Parts) {
  const { clients, policies, journal } = parts
  const resources = createResources(parts)
  const joined = createJoinedCounts(parts.clock, journal.append)

  /** `record` is told how it ended, and has it on disk before anybody hears of it. */
  async function admitted<T>(caller: Caller, record: (outcome: Outcome, reason?: string) => Promise<unknown>, work: () => Promise<T>) {
    const admission = parts.limits.admit(caller.clientId)
    if (admission.kind === 'too many a second') throw new Refusal(texts.tooManyCalls(parts.settings().callsPerSecond), 'limited')
    if (admission.kind === 'too many at once') throw new Refusal(texts.tooManyInFlight(parts.settings().callsInFlight), 'limited')
    try {
      const paused = parts.pausedText() ?? (clients.isPaused(caller.clientId) ? texts.clientPaused : null)
      if (paused === null) return await work()
      await record('denied', 'paused')
      throw new Refusal(paused)
    } finally {
      admission.done()
    }
  }

  async function joinedAnswer<T>(caller: Caller, tool: string, detail: Detail, work: () => T): Promise<T> {
    const record = (outcome: Outcome, reason?: string) =>
      joined.count(
        entryOf(caller, tool, outcome, { secret: null, rule: null, detail: { ...detail, ...(reason === undefined ? {} : { reason }) } }),
      )
    return admitted(caller, record, async () => {
      const answer = work()
      await record('allowed')
      return answer
    })
  }

  /** A name outside the client's policy is written down alike, whether it exists or not: the client may read this entry. */
  function about(caller: Caller, target: Target | null): About & { outside: boolean } {
    const nothing = { secret: null, rule: null, outside: false }
    if (target === null) return { ...nothing, detail: {} }
    if (target.kind !== 'secret')
      return { ...nothing, detail: target.kind === 'audit' ? { kind: 'audit', entry: target.seq } : { kind: 'policy' } }
    const policy = clients.policyOf(caller.clientId)
    const question = {
      clientId: caller.clientId,
      act: 'see',
      tool: 'resources/read',
      secret: target.name,
      verified: null,
      digest: null,
    } as const
    const verdict = decide(question, policy, policies.get(policy), [], 0)
    const outside = verdict.kind === 'deny'
    const named = outside
      ? { secret: null, detail: { kind: 'secret', name: target.name } }
      : { secret: target.name, detail: { kind: 'secret' } }
    return { ...named, rule: ruleText(verdict.rule), outside }
  }

  return {
    list: (caller: Caller, cursor: string | null): Promise<{ resources: ResourceInfo[]; next: string | null }> =>
      joinedAnswer(caller, 'resources/list', {}, () => resources.list(caller, cursor)),

    complete: (caller: Caller, what: 'secret' | 'policy', prefix: string): Promise<{ values: string[]; total: number }> =>
      joinedAnswer(caller, 'completion/complete', { of: what }, () => resources.complete(caller, what, prefix)),

    async read(caller: Caller, uri: string): Promise<{ text: string } | null> {
      const target = targetOf(uri)
      const { outside, ...facts } = about(caller, target)
      const record = (outcome: Outcome, reason?: string) => {
        const detail = { ...facts.detail, ...(reason === undefined ? {} : { reason }) }
        return journal.append({ ...entryOf(caller, 'resources/read', outcome, { ...facts, detail }), call: newCallId() })
      }
      return admitted(caller, record, async () => {
        const found = target === null ? null : await resources.read(caller, target)
        if (found !== null) await record('allowed')
        else await record('denied', target === null ? 'no such resource' : outside ? 'outside' : 'not found')
        return found
      })
    },

    close: () => joined.close(),
  }
}

function entryOf(caller: Caller, tool: string, outcome: Outcome, { secret, rule, detail }: About): Entry {
  const who = whoEntry(caller, null)
  return systemEntry('call', {
    ...who,
    kind: 'outcome',
    tool,
    secret,
    outcome,
    rule,
    approver: 'policy',
    detail: { ...who.detail, ...detail },
  })
}
