// Remembered answers. *always* lives in the vault database under a MAC; everything shorter lives in memory alone, on monotonic
// time, and ends with the host at the latest.

import { randomBytes } from 'node:crypto'
import { ended } from '../../src-shared/decide.ts'
import type { Grant, GrantEnd, Remember } from '../../src-shared/grant.ts'
import type { Call } from './call.ts'
import type { Clock } from './ports.ts'
import type { Rows } from './rows.ts'

/** How long a late approval lets the same call, repeated, through. */
export const REPEAT_MS = 2 * 60_000
const QUARTER_HOUR_MS = 15 * 60_000

export interface Grants {
  list: () => Grant[]
  of: (clientId: string) => Grant[]
  /** A person chose to remember a read. */
  rememberRead: (call: Call, name: string, remember: Exclude<Remember, 'once'>) => Grant
  /** A person allowed a call nobody waits for any more: its repeat passes once. */
  allowRepeat: (call: Call, name: string, digest: string, approvalId: string) => Grant
  /** A grant for one call is used up by the call it lets through. */
  use: (grant: Grant) => void
  revoke: (id: string) => Grant | null
  revokeClient: (clientId: string) => void
  /** Screen lock or sleep: only *always* survives. */
  dropTemporary: () => Grant[]
}

export function openGrants(rows: Rows, clock: Clock): Grants {
  const grants = new Map<string, Grant>()
  // The MAC says that we wrote it, so its shape is ours.
  for (const { id, body } of rows.list('grant')) grants.set(id, body as Grant)

  const add = (grant: Grant): Grant => {
    if (grant.end.kind === 'always') rows.put('grant', grant.id, grant)
    grants.set(grant.id, grant)
    return grant
  }
  const drop = (grant: Grant): void => {
    grants.delete(grant.id)
    if (grant.end.kind === 'always') rows.remove('grant', grant.id)
  }
  const live = (): Grant[] => {
    for (const grant of grants.values()) if (ended(grant, clock.mono())) drop(grant)
    return [...grants.values()]
  }
  const endOf = (remember: Exclude<Remember, 'once'>): GrantEnd => {
    if (remember === 'always') return { kind: 'always' }
    return remember === 'lock' ? { kind: 'lock' } : inMs(QUARTER_HOUR_MS)
  }
  const inMs = (ms: number): GrantEnd => ({ kind: 'time', mono: clock.mono() + ms, wall: clock.now() + ms })
  const fresh = (call: Call) => ({ id: randomBytes(6).toString('hex'), clientId: call.caller.clientId, since: clock.now() })

  return {
    list: live,
    of: (clientId) => live().filter((grant) => grant.clientId === clientId),
    rememberRead: (call, name, remember) =>
      add({ ...fresh(call), covers: 'reads', name, program: call.caller.program ?? '', end: endOf(remember) }),
    allowRepeat: (call, name, digest, approvalId) =>
      add({ ...fresh(call), covers: 'call', tool: call.request.tool, name, digest, approvalId, end: inMs(REPEAT_MS) }),
    use: (grant) => {
      if (grant.covers === 'call') drop(grant)
    },
    revoke: (id) => {
      const grant = grants.get(id) ?? null
      if (grant !== null) drop(grant)
      return grant
    },
    revokeClient: (clientId) => {
      for (const grant of grants.values()) if (grant.clientId === clientId) drop(grant)
    },
    dropTemporary: () => {
      const dropped = live().filter((grant) => grant.end.kind !== 'always')
      for (const grant of dropped) drop(grant)
      return dropped
    },
  }
}
