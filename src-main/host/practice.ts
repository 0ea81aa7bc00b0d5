// A call to practise on: asked, answered and recorded like any other, by a client that is only us. Whatever the answer, nothing
// is stored and nothing is shown.

import { PRACTICE, type Caller } from '../../src-shared/client.ts'
import type { Broker } from './broker.ts'

const caller: Caller = {
  clientId: PRACTICE,
  clientName: 'Practice',
  standing: 'verified',
  connection: 'practice',
  program: process.execPath,
  peer: [{ pid: process.pid, name: 'countersign', exe: process.execPath, started: null }],
}

/** Resolves with what a client would have been told. */
export async function practise(broker: Broker, signal: AbortSignal): Promise<{ text: string; refused: boolean }> {
  const reply = await broker.call({
    caller,
    access: 'practice',
    tool: 'practice',
    arguments: {},
    says: null,
    signal,
    waiting: () => {},
  })
  // The request is our own, so it is never invalid.
  return reply.kind === 'result' ? { text: reply.text, refused: reply.isError } : { text: reply.kind, refused: true }
}
