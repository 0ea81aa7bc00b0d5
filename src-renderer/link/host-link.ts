// The page's one way to the host, whatever carries it. The contract gives the types; checking is the host's business.

import type { EventName, HostEvents, MethodName, ParamsIn, Result, RpcFault } from '../../src-shared/rpc.ts'

export type LinkState = 'connecting' | 'open' | 'logged out'

export type HostEvent = { [E in EventName]: { event: E; data: HostEvents[E] } }[EventName]

export interface HostLink {
  /** Rejects with a HostError. A call that was under way when the connection broke is never sent again. */
  call: <M extends MethodName>(method: M, params: ParamsIn<M>) => Promise<Result<M>>
  onEvent: (listener: (event: HostEvent) => void) => () => void
  state: () => LinkState
  onState: (listener: () => void) => () => void
  close: () => void
}

export class HostError extends Error {
  override name = 'HostError'
  readonly code: RpcFault['code'] | 'unreachable'
  constructor(code: HostError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** The sentence to show for whatever went wrong. */
export function sentence(error: unknown): string {
  return error instanceof HostError ? error.message : 'Something went wrong on this page. Reload it and try again.'
}
