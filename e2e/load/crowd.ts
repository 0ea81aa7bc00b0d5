// Fifty AI clients, each with a bridge of its own, each asking for two hundred things at once.

import type { AtEnd } from '../support/host.ts'
import type { Caller } from './caller.ts'
import { checkLog, openLoadDesk, ownSecret, SHARED, valueOf } from './desk.ts'
import { spreadOf } from './figures.ts'
import type { Sheet } from './sheet.ts'

export interface Crowd {
  bridges: number
  calls: number
}

export const FULL_CROWD: Crowd = { bridges: 50, calls: 200 }
export const SMALL_CROWD: Crowd = { bridges: 12, calls: 50 }

export async function crowd(sheet: Sheet, atEnd: AtEnd, { bridges, calls }: Crowd): Promise<void> {
  const desk = await openLoadDesk(atEnd)
  const callers: Caller[] = []
  for (let n = 0; n < bridges; n++) callers.push(await desk.client(`client-${n}`))
  const began = performance.now()
  const since = Date.now()
  const answers = await Promise.all(callers.map((caller) => Promise.all(Array.from({ length: calls }, (_, n) => ask(caller, n, bridges)))))
  const seconds = (performance.now() - began) / 1000
  const all = answers.flat()
  const { p50, p99, max } = spreadOf(all.map(({ ms }) => ms))

  const odd = new Set(all.flatMap(({ fits, text }) => (fits ? [] : [text])))
  if (odd.size > 0) sheet.note('answered otherwise', [...odd].slice(0, 3).join(' · '))
  sheet.exactly('answered', bridges * calls, all.length)
  sheet.exactly('answered as they should be', bridges * calls, all.filter(({ fits }) => fits).length)
  sheet.exactly(
    'answered twice, or never asked',
    0,
    callers.reduce((sum, caller) => sum + caller.odd(), 0),
  )
  await checkLog(desk, sheet, bridges * calls)
  sheet.atMost('p99, all asked at once', 5, p99 / 1000, 's')
  sheet.note('p50, longest', `${(p50 / 1000).toFixed(2)} s, ${(max / 1000).toFixed(2)} s`)
  sheet.note('answers a second', Math.round((bridges * calls) / seconds).toLocaleString('en'))
  sheet.atMost('memory of the host at its most', 400, desk.memory().most, 'MB')
  sheet.note('event loop lag of the host, longest', `${Math.max(...desk.samples(since).map(({ lagMax }) => lagMax)).toFixed(0)} ms`)
}

interface Heard {
  ms: number
  fits: boolean
  text: string
}

/** Half of them read a value; one in ten reads what is another client's. */
async function ask(caller: Caller, n: number, bridges: number): Promise<Heard> {
  const kind = n % 10
  if (kind < 3) {
    const name = ownSecret(caller.client)
    return judge(await caller.call('get_secret', { name }), (text) => text === valueOf(name))
  }
  if (kind < 5) {
    const name = SHARED[n % SHARED.length] ?? SHARED[0]
    return judge(await caller.call('get_secret', { name }), (text) => text === valueOf(name))
  }
  if (kind < 8) {
    const names = [...SHARED, ownSecret(caller.client)].toSorted()
    return judge(await caller.call('list_secrets'), (text) => text === JSON.stringify(names))
  }
  if (kind < 9) {
    const args = { scope: caller.client, secret_name: 'elsewhere/key' }
    return judge(await caller.call('test_policy', args), (text) => text === 'denied')
  }
  const other = ownSecret(`client-${(Number(caller.client.slice('client-'.length)) + 1) % bridges}`)
  return judge(await caller.call('get_secret', { name: other }), (text) => text.startsWith('Error: '))
}

const judge = ({ text, ms }: { text: string; ms: number }, fits: (text: string) => boolean): Heard => ({ ms, fits: fits(text), text })
