// From a call to audit entries: what is written about it and what never is.

import type { Entry, JsonValue, Outcome } from '../../src-shared/audit.ts'
import type { Caller, ProcessStep } from '../../src-shared/client.ts'
import type { Matter } from './approvals.ts'
import { NOBODY } from './audit/writer.ts'
import { fileOf, secretOf, type Call } from './call.ts'

export function systemEntry(event: string, fields: Partial<Entry> = {}): Entry {
  return { ...NOBODY, event, ...fields }
}

/** The parts of an entry that say who called; `unregistered` callers keep that word as their name. */
export function whoEntry(caller: Caller, says: string | null): Pick<Entry, 'client' | 'peer' | 'standing' | 'detail'> {
  return {
    client: caller.clientId,
    peer: chainText(caller.peer),
    standing: caller.standing,
    detail: says === null ? {} : { says: says.slice(0, 200) },
  }
}

export function callEntry(kind: 'intent' | 'outcome', call: Call, fields: Partial<Entry> & { outcome: Outcome | null }): Entry {
  const who = whoEntry(call.caller, call.says)
  const path = fileOf(call.request)
  return {
    ...NOBODY,
    ...who,
    kind,
    event: 'call',
    call: call.id,
    tool: call.request.tool,
    secret: secretOf(call.request),
    ...fields,
    detail: { ...who.detail, ...(path === null ? {} : { path }), ...fields.detail },
  }
}

export function approvalEntry(event: string, matter: Matter, detail: Detail) {
  const entry = callEntry('outcome', matter.call, { outcome: null, detail })
  return { ...entry, kind: 'system' as const, event }
}

/** Written once per connection, not once per call. */
const chains = new WeakMap<readonly ProcessStep[], string>()

/** Outermost program first, as people read it: "Terminal › zsh › cursor". */
function chainText(peer: readonly ProcessStep[]): string | null {
  if (peer.length === 0) return null
  const known = chains.get(peer)
  if (known !== undefined) return known
  const text = peer
    .map((step) => step.name.slice(0, 64))
    .toReversed()
    .join(' › ')
  chains.set(peer, text)
  return text
}

export type Detail = Record<string, JsonValue>
