// What the tray tells, gathered from the host through the same door as any window.

import type { ApprovalView } from '../../src-shared/approval.ts'
import type { AuditRow } from '../../src-shared/audit.ts'
import type { Grant } from '../../src-shared/grant.ts'
import type { HostStatus, MethodName, ParamsIn, Result } from '../../src-shared/rpc.ts'
import type { Host } from '../host/host.ts'
import { RpcError } from '../host/rpc.ts'

export interface DeskState {
  status: HostStatus
  waiting: ApprovalView[]
  grants: Grant[]
  /** Newest first. */
  calls: AuditRow[]
  /** Client id → the name a person gave it. */
  names: ReadonlyMap<string, string>
}

const LAST_CALLS = 5

export type Ask = <M extends MethodName>(method: M, params: ParamsIn<M>) => Promise<Result<M>>

/** The person's own hand, for menus: the access of a window, and everything recorded as such. */
export function askAsWindow(host: Pick<Host, 'dispatch'>): Ask {
  return (method, params) =>
    host.dispatch('window', method, params, { caller: null, signal: new AbortController().signal, waiting: () => {} }) as never // The contract types the result by its method.
}

export async function readDesk(ask: Ask): Promise<DeskState> {
  const status = await ask('status', {})
  const nothing: DeskState = { status, waiting: [], grants: [], calls: [], names: new Map() }
  if (status.state !== 'open') return nothing
  try {
    const [{ open }, grants, page, clients] = await Promise.all([
      ask('approvals.list', {}),
      ask('grants.list', {}),
      ask('audit.query', { filter: { event: ['call'] }, limit: LAST_CALLS }),
      ask('clients.list', {}),
    ])
    return { status, waiting: open, grants, calls: page.rows, names: new Map(clients.map(({ id, name }) => [id, name])) }
  } catch (error) {
    // The vault was closed, or the log failed, between two of the questions; the next change asks again.
    if (error instanceof RpcError) return nothing
    throw error
  }
}
