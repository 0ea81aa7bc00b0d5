// The protocol core's view of the host, from inside the host's own process: the rpc door that the bridge comes through as well.

import type { Caller } from '../../../src-shared/client.ts'
import type { MethodName, ParamsIn, Result } from '../../../src-shared/rpc.ts'
import { BadCursor, HostAbsent, type Backend } from '../../mcp/backend.ts'
import type { Door } from '../door.ts'

export interface Request {
  /** Who calls, with what is known of its process; that takes a moment, so it is asked for calls and reads alone. */
  caller: () => Caller | Promise<Caller>
  /** The same without the process. */
  brief: () => Caller
  /** A request was refused for being one too many. */
  onLimited: () => void
}

export function createBackend({ dispatch }: Pick<Door, 'dispatch'>, { caller, brief, onLimited }: Request): Backend {
  async function ask<M extends MethodName>(
    who: Caller,
    method: M,
    params: ParamsIn<M>,
    signal = new AbortController().signal,
    waiting: (message: string) => void = () => undefined,
  ): Promise<Result<M>> {
    try {
      // The dispatcher returns what the contract says for this method.
      return (await dispatch('client', method, params, { caller: who, signal, waiting })) as Result<M>
    } catch (error) {
      if (codeOf(error) === 'limited') onLimited()
      throw translated(error)
    }
  }

  return {
    async callTool({ tool, arguments: given, says, onWaiting }, signal) {
      const reply = await ask(await caller(), 'tools.call', { tool, arguments: given, says }, signal, onWaiting)
      if (reply.kind === 'result' && reply.limited) onLimited()
      return reply
    },
    recordRejected(rejected) {
      // The client has its refusal already, and nothing was done.
      void Promise.resolve(caller())
        .then((who) => ask(who, 'tools.rejected', rejected))
        .catch(() => undefined)
    },
    listResources: (cursor) => ask(brief(), 'resources.list', { cursor }),
    readResource: async (uri) => ask(await caller(), 'resources.read', { uri }),
    complete: (what, prefix) => ask(brief(), 'names.complete', { what, prefix }),
  }
}

/** A fault is a sentence for the client; without one, or with an internal one, the mistake is ours. */
function translated(error: unknown): unknown {
  const code = codeOf(error)
  if (!(error instanceof Error) || code === 'internal') return error
  return code === 'bad params' ? new BadCursor(error.message) : new HostAbsent(error.message)
}

function codeOf(error: unknown): unknown {
  const fault = error instanceof Error && 'fault' in error ? error.fault : null
  return typeof fault === 'object' && fault !== null && 'code' in fault ? fault.code : 'internal'
}
