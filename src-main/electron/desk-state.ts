// What the tray tells, gathered from the host through the same door as any window.

import type { ApprovalView } from '../../src-shared/approval.ts'
import type { AuditRow } from '../../src-shared/audit.ts'
import type { Grant } from '../../src-shared/grant.ts'
import type { HostStatus, MethodName, ParamsIn, Result } from '../../src-shared/rpc.ts'
import type { Host } from '../host/host.ts'
import { RpcError } from '../host/rpc.ts'

export interface DeskState {
  status: HostStatus
  /** Null when they cannot be read although the vault is open. */
  waiting: ApprovalView[] | null
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
  const [approvals, grants, page, clients] = await Promise.all([
    orNull(ask('approvals.list', {})),
    orNull(ask('grants.list', {})),
    orNull(ask('audit.query', { filter: { event: ['call'] }, limit: LAST_CALLS })),
    orNull(ask('clients.list', {})),
  ])
  const names = new Map(clients?.map(({ id, name }) => [id, name]))
  return { status, waiting: approvals?.open ?? null, grants: grants ?? [], calls: page?.rows ?? [], names }
}

/** Null when the host refuses: the vault was closed meanwhile, or the log failed. The next change asks again. */
async function orNull<T>(work: Promise<T>): Promise<T | null> {
  return work.catch((error: unknown) => {
    if (error instanceof RpcError) return null
    throw error
  })
}
