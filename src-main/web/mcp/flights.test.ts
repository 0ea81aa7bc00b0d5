import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSession } from '../../mcp/session.ts'
import { createFlights, type Flight } from './flights.ts'

const flight = (clientId: string): Flight => ({
  clientId,
  session: createSession(),
  response: new ServerResponse(new IncomingMessage(new Socket())),
})

test('in whatever order requests come and go, those that are still open are ended, of their client alone, and no others', async () => {
  const client = fc.constantFrom('a', 'b')
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(client, fc.option(fc.nat(), { nil: null }))), async (steps) => {
      const flights = createFlights()
      const all: Flight[] = []
      let open: Flight[] = []
      for (const [clientId, ends] of steps) {
        const next = flight(clientId)
        all.push(next)
        open.push(next)
        flights.begin(next)
        const over = ends === null ? undefined : open[ends % open.length]
        if (over === undefined) continue
        flights.end(over)
        // To say it twice is to say it once.
        flights.end(over)
        open = open.filter((one) => one !== over)
      }
      await flights.finish('a', 0)
      expect(all.filter(({ response }) => response.destroyed)).toEqual(open.filter(({ clientId }) => clientId === 'a'))
      await flights.finish(null, 0)
      expect(all.filter(({ response }) => response.destroyed)).toEqual(open)
    }),
    { numRuns: 50 },
  )
})
