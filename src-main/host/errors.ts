import type { RpcFault } from '../../src-shared/rpc.ts'

/** A sentence for the person, and a code for the program between. Thrown where a request cannot be served as asked. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly code: RpcFault['code']
  constructor(message: string, code: RpcFault['code'] = 'refused') {
    super(message)
    this.code = code
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
