// Which program stands behind a client: learned when a person first allows one of its calls, and on record before it counts.

import type { Caller } from '../../src-shared/client.ts'
import type { Clients } from './clients.ts'

export interface LearningParts {
  clients: Clients
  record: (clientId: string, program: string) => Promise<unknown>
  /** Told with the caller as it is known from now on. */
  learned: (caller: Caller) => void
}

export function createLearning({ clients, record, learned }: LearningParts) {
  /** One at a time for each client, so that the log names the one that was kept. */
  const pending = new Set<string>()

  return {
    /** A person allowed a call of this caller: its program becomes the one we expect, if none was. */
    async allowed(caller: Caller): Promise<void> {
      const { clientId } = caller
      const program = clients.programToLearn(caller)
      if (program === null || pending.has(clientId)) return
      pending.add(clientId)
      try {
        await record(clientId, program)
        clients.learnProgram(clientId, program)
      } finally {
        pending.delete(clientId)
      }
      learned({ ...caller, standing: 'verified' })
    },

    /** The caller as its next call will be known. */
    asKnown(caller: Caller): Caller {
      const { standing, program = null } = caller
      const isExpected = program !== null && clients.get(caller.clientId)?.program === program
      return standing === 'new program' && isExpected ? { ...caller, standing: 'verified' } : caller
    },
  }
}
