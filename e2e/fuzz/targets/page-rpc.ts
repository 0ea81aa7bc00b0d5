// Messages of a logged-in page: one answer to each that asks, with its id, and none that is our own mistake.

import { once } from 'node:events'
import { WebSocket } from 'ws'
import { expectNoValue, openFuzzDesk } from '../desk.ts'
import { expectOwn, idsIn, type Answer } from '../ids.ts'
import { inTime, promise, shapeOf, type Target } from '../target.ts'
import { logIn, openPageSocket } from '../../support/host.ts'

export const RPC_WORDS = [
  '"id":',
  '"method":',
  '"params":',
  '{',
  '}',
  '[',
  ']',
  ',',
  '"',
  '\\',
  '\\u0000',
  '\\ud800',
  'null',
  '-1',
  '1e309',
  '[]',
  '{}',
  '"status"',
  '"approvals.list"',
  '"approvals.answer"',
  '"secrets.list"',
  '"secrets.store"',
  '"secrets.versions"',
  '"secrets.compare"',
  '"policies.save"',
  '"policies.dryRun"',
  '"clients.register"',
  '"clients.list"',
  '"audit.query"',
  '"audit.story"',
  '"audit.facets"',
  '"audit.histogram"',
  '"audit.totals"',
  '"settings.set"',
  '"settings.get"',
  '"grants.list"',
  '"tools.call"',
  '"filter":{',
  '"text":"',
  '"limit":',
  '"before":',
  '"from":',
  '"to":',
  '"name":"dev/a"',
  '"constructor"',
  '"__proto__":',
]

export const pageRpc: Target = {
  name: 'page-rpc',
  words: RPC_WORDS,
  fewRuns: 300,
  inside: false,
  async open(atEnd) {
    const desk = await openFuzzDesk(atEnd)
    const session = await logIn(desk.ready.url)
    let socket: WebSocket | null = null
    let heard: string[] = []
    let changed = () => {}
    let taken = 0
    /** Of this connection: an answer may be later than the next input. */
    let sent = new Set<string>()
    atEnd(() => socket?.terminate())

    async function connected(): Promise<WebSocket> {
      if (socket?.readyState === WebSocket.OPEN) return socket
      const next = openPageSocket(session)
      await inTime('a new connection', once(next, 'open'))
      next.on('message', (data) => {
        heard.push((data as Buffer).toString()) // A Buffer, unless one asks for something else.
        changed()
      })
      next.on('error', () => {})
      next.on('close', () => changed())
      sent = new Set()
      socket = next
      return next
    }

    return {
      async take(input) {
        const line = await connected()
        const id = `probe-${++taken}`
        for (const one of [...idsIn(input), JSON.stringify(id)]) sent.add(one)
        heard = []
        line.send(input.toString())
        line.send(JSON.stringify({ id, method: 'status', params: {} }))
        await inTime(
          'the answer to the request after it',
          new Promise<void>((resolve) => {
            changed = () => {
              if (line.readyState !== WebSocket.OPEN || heard.some((text) => text.includes(`"id":"${id}"`))) resolve()
            }
            changed()
          }),
        )
        const told = heard.map((text) => {
          expectNoValue('an answer', text)
          const answer = JSON.parse(text) as Answer & { event?: string }
          if (answer.event !== undefined) return 'event'
          promise(answer.error?.code !== 'internal', `nothing is a mistake of ours: ${text}`)
          return expectOwn(answer, sent)
        })
        return shapeOf([...new Set(told)].join(' '))
      },
      inspect: desk.inspect,
    }
  },
}
