// Who is at the other end of a connection. The token says which client; the process is evidence for the person and the log, and
// is looked up once per connection, when a call first needs it.

import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { Caller, Client } from '../../../src-shared/client.ts'
import { programAt, type Peer } from '../../host/connection.ts'

/** What is known of a connection, and the last caller it was described as. */
interface Seen {
  id: string
  peer: Peer | Promise<Peer>
  client: Client | null
  caller: Caller | null
}

export interface Callers {
  /** The process is looked up the first time. */
  full: (client: Client, socket: Socket) => Caller | Promise<Caller>
  /** Without the process, where it does not matter. */
  brief: (client: Client) => Caller
}

export function createCallers(inspect: (socket: Socket) => Promise<Peer>): Callers {
  const seen = new WeakMap<Socket, Seen>()

  function at(socket: Socket): Seen {
    const known = seen.get(socket)
    if (known !== undefined) return known
    const found: Seen = { id: randomUUID(), peer: inspect(socket), client: null, caller: null }
    seen.set(socket, found)
    return found
  }

  /** Clients do not change: one that does is another object. */
  function describedAt(found: Seen, client: Client, peer: Peer): Caller {
    if (found.caller !== null && found.client === client) return found.caller
    found.client = client
    found.caller = describe(client, found.id, peer)
    return found.caller
  }

  return {
    full(client, socket) {
      const found = at(socket)
      const { peer } = found
      if (!(peer instanceof Promise)) return describedAt(found, client, peer)
      return peer.then((known) => {
        found.peer = known
        return describedAt(found, client, known)
      })
    },
    brief: (client) => describe(client, '', { steps: [], proven: false }),
  }
}

/** As with a bridge, *verified* needs the secret and the program recorded for it; here that is the one that holds the connection. */
function describe({ id, name, program: expected }: Client, connection: string, peer: Peer): Caller {
  const who = programAt(peer, 0)
  const standing = who.program !== null && who.program === expected ? 'verified' : 'new program'
  return { clientId: id, clientName: name, standing, connection, peer: peer.steps, ...who }
}
