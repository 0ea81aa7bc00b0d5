// Requests that are being answered, by client: so that a client that is revoked, and a host that leaves, can end them, and so
// that `notifications/cancelled`, which comes as a request of its own, finds the one it means.

import type { ServerResponse } from 'node:http'
import type { Id } from '../../mcp/jsonrpc.ts'
import type { Session } from '../../mcp/session.ts'
import { endSubscriptions } from '../../mcp/subscriptions.ts'

export interface Flight {
  clientId: string
  session: Session
  response: ServerResponse
  /** Where it stands among the others. */
  place?: number
}

export interface Flights {
  begin: (flight: Flight) => void
  end: (flight: Flight) => void
  /** Streams that this client holds open. */
  listening: (clientId: string) => number
  /**
   * Takes back the one request of this client that has this id. Programs that share a token may use equal ids: then nobody can
   * tell which is meant, and none is.
   */
  cancel: (clientId: string, id: unknown) => void
  /** Ends what is open, of one client or of all, politely at first. Resolves when it is over. */
  finish: (clientId: string | null, patienceMs: number) => Promise<void>
}

export function createFlights(): Flights {
  /**
   * Not a Set: of one that lives long while its elements come and go, V8 leaves tables behind that hold on to one another and to
   * what was in them, so that answered requests outlive one collection of garbage after the other. Each took 12 to 16 ms under
   * load, and takes 1 to 2 now.
   */
  const flights: Flight[] = []
  const waiting = new Set<() => void>()
  const of = (clientId: string | null) => flights.filter((flight) => clientId === null || flight.clientId === clientId)

  return {
    begin(flight) {
      flight.place = flights.push(flight) - 1
    },
    end(flight) {
      const { place } = flight
      if (place === undefined || flights[place] !== flight) return
      // The last one takes its place.
      const last = flights.pop()
      if (last !== undefined && last !== flight) {
        flights[place] = last
        last.place = place
      }
      for (const look of waiting) look()
    },
    listening: (clientId) => of(clientId).reduce((sum, { session }) => sum + session.listeners.size, 0),
    cancel(clientId, id) {
      if (!isId(id)) return
      const meant = of(clientId).filter(({ session }) => session.inFlight.has(id))
      if (meant.length === 1) meant[0]?.session.inFlight.get(id)?.hangUp()
    },
    async finish(clientId, patienceMs) {
      for (const { session } of of(clientId)) endSubscriptions(session)
      const over = new Promise<void>((resolve) => {
        const timer = setTimeout(done, patienceMs)
        const look = () => {
          if (of(clientId).length === 0) done()
        }
        function done(): void {
          clearTimeout(timer)
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      })
      await over
      for (const { response } of of(clientId)) response.destroy()
    },
  }
}

const isId = (id: unknown): id is Id => typeof id === 'string' || typeof id === 'number'
