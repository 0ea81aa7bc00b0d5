// Who is at the other end of a connection. The token says which client; the process is evidence for the person and the log, and
// is looked up once per connection, when a call first needs it.

import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Caller, Client } from '../../../src-shared/client.ts'
import type { Peer } from '../../host/connection.ts'

interface Seen {
  id: string
  peer: Promise<Peer>
}

export interface Callers {
  /** The process is looked up the first time. */
  full: (client: Client, socket: Socket) => Promise<Caller>
  /** Without the process, where it does not matter. */
  brief: (client: Client) => Caller
}

export function createCallers(inspect: (socket: Socket) => Promise<Peer>): Callers {
  const seen = new WeakMap<Socket, Seen>()

  function at(socket: Socket): Seen {
    const known = seen.get(socket) ?? { id: randomUUID(), peer: inspect(socket) }
    seen.set(socket, known)
    return known
  }

  return {
    async full(client, socket) {
      const { id, peer } = at(socket)
      return describe(client, id, await peer)
    },
    brief: (client) => describe(client, '', { steps: [], proven: false }),
  }
}

/** As with a bridge, *verified* needs the secret and the program recorded for it; here that is the one that holds the connection. */
function describe({ id, name, program: expected }: Client, connection: string, { steps, proven }: Peer): Caller {
  const program = proven ? (steps[0]?.exe ?? null) : null
  const standing = program !== null && program === expected ? 'verified' : 'new program'
  return { clientId: id, clientName: name, standing, connection, peer: steps, program }
}
