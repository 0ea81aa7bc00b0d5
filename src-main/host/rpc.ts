// The one door. Windows, the web page, the bridge and the command line all come through `dispatch`: it knows the method, checks the
// access, parses the parameters once, and turns whatever goes wrong into a fault that carries no value.

import type { z } from 'zod'
import type { Caller } from '../../src-shared/client.ts'
import { contract, type Access, type MethodName, type Params, type Result, type RpcFault } from '../../src-shared/rpc.ts'
import { texts } from '../../src-shared/texts.ts'
import type { AnswerGuard } from './answer-guard.ts'
import { AuditError } from './audit/audit.ts'
import { BackupError } from './backup.ts'
import { diskTrouble } from './disk-trouble.ts'
import { Refusal } from './errors.ts'
import { OutcomeUnrecorded } from './journal.ts'
import { KeychainError } from './ports.ts'
import { VaultError } from './vault/errors.ts'

export interface RpcContext {
  access: Access
  /** Who calls over the local socket; null for windows. */
  caller: Caller | null
  signal: AbortSignal
  waiting: (message: string) => void
  /** Of the window or page that asks; without one nothing can be allowed. */
  guard?: AnswerGuard
}

export type Api = { [M in MethodName]: (params: Params<M>, context: RpcContext) => Promise<Result<M>> | Result<M> }

export class RpcError extends Error {
  override name = 'RpcError'
  readonly fault: RpcFault
  constructor(code: RpcFault['code'], message: string) {
    super(message)
    this.fault = { code, message }
  }
}

/** `reportBug` hears of errors that are nobody's fault but ours. */
export async function dispatch(
  api: Api,
  method: string,
  raw: unknown,
  context: RpcContext,
  reportBug: (error: unknown) => void,
): Promise<unknown> {
  if (!Object.hasOwn(contract, method)) throw new RpcError('unknown method', `There is no method '${method.slice(0, 64)}'`)
  const name = method as MethodName
  const { access, params } = contract[name]
  if (!access.some((allowed) => allowed === context.access)) throw new RpcError('forbidden', `'${name}' is not for this connection`)
  const parsed = params.safeParse(raw ?? {})
  if (!parsed.success) throw new RpcError('bad params', faultText(parsed.error))
  try {
    // The schema that just accepted the parameters is the one this function's type comes from.
    return await (api[name] as (params: unknown, context: RpcContext) => unknown)(parsed.data, context)
  } catch (error) {
    throw faultOf(error, reportBug)
  }
}

function faultOf(error: unknown, reportBug: (error: unknown) => void): RpcError {
  if (error instanceof RpcError) return error
  if (error instanceof Refusal) return new RpcError(error.code, error.message)
  if (error instanceof AuditError) return new RpcError('refused', texts.notRecorded(error.message))
  if (error instanceof KeychainError) {
    return error.code === 'locked'
      ? new RpcError('locked', texts.keychainLocked)
      : new RpcError('refused', texts.keychainUnavailable(error.message))
  }
  if (error instanceof VaultError || error instanceof BackupError) return new RpcError('refused', error.message)
  if (error instanceof OutcomeUnrecorded) return new RpcError('refused', texts.madeUnrecorded(error.message))
  const trouble = diskTrouble(error)
  if (trouble !== null) return new RpcError('refused', texts.notWritten(trouble))
  reportBug(error)
  return new RpcError('internal', 'Something went wrong inside Countersign')
}

/** Names the field and the fault, never the input: it may be a value. */
function faultText(error: z.ZodError): string {
  const [first] = error.issues
  if (first === undefined) return 'The parameters are not valid'
  const field = first.path.join('.') || 'The parameters'
  return first.code === 'unrecognized_keys' ? `${field}: unknown field` : `${field}: ${first.message}`
}
