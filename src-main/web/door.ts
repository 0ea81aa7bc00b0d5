// What the page's server needs from the host. It is handed in, so that this folder knows neither broker nor vault.

import type { Caller } from '../../src-shared/client.ts'
import type { LoginMode } from '../../src-shared/login.ts'
import type { Access, EventName } from '../../src-shared/rpc.ts'
import type { AnswerGuard } from '../host/answer-guard.ts'

export interface Door {
  dispatch: (
    access: Access,
    method: string,
    raw: unknown,
    ctx: { caller: Caller | null; signal: AbortSignal; waiting: (message: string) => void; guard?: AnswerGuard },
  ) => Promise<unknown>
  subscribe: (access: Access, caller: Caller | null, listener: (event: EventName, data: unknown) => void) => () => void
}

export interface Login {
  mode: () => LoginMode
  /** Slows down wrong tries by itself; `waitMs` says for how long the next one is refused. */
  enter: (secret: string, code?: string) => Promise<{ ok: true } | { ok: false; message: string; waitMs: number }>
}
