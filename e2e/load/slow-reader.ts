// One client stops reading with ten thousand answers due, while others go on: they must not notice, and nobody's memory may fill up.

import { setTimeout as wait } from 'node:timers/promises'
import { texts } from '../../src-shared/texts.ts'
import type { AtEnd } from '../support/host.ts'
import type { Answer, Caller } from './caller.ts'
import { checkLog, NO_LIMITS, openLoadDesk, SHARED, valueOf } from './desk.ts'
import { spreadOf } from './figures.ts'
import type { Sheet } from './sheet.ts'
import { memoryOf } from './watch.ts'

const DUE = 10_000
const FAST = 4
/** Between two calls of a fast one, so that they do not use up the machine by themselves. */
const PAUSE_MS = 5

export async function slowReader(sheet: Sheet, atEnd: AtEnd, seconds = 60): Promise<void> {
  const desk = await openLoadDesk(atEnd)
  await desk.person.ask('settings.set', NO_LIMITS)
  const slow = await desk.client('slow')
  // Of them alone, so that there is something to hold back.
  await desk.person.ask('secrets.store', { name: 'slow/long', value: valueOf('long').repeat(20) })
  const fast: Caller[] = []
  for (let n = 0; n < FAST; n++) fast.push(await desk.client(`fast-${n}`))
  let calls = 0
  const busy = async (ms: number): Promise<number[]> => {
    const until = performance.now() + ms
    const times = fast.map(async (caller) => {
      const own: number[] = []
      while (performance.now() < until) {
        calls++
        own.push((await caller.call('get_secret', { name: SHARED[0] })).ms)
        await wait(PAUSE_MS)
      }
      return own
    })
    return (await Promise.all(times)).flat()
  }

  await busy(3000)
  const before = await busy((seconds * 1000) / 2)
  const [hostBefore, bridgeBefore] = [desk.memory().now, memoryOf(slow.process.pid ?? 0).now]
  slow.stopReading()
  const late = Array.from({ length: DUE }, (_, n): Promise<Answer> => slow.call(n % 4 === 0 ? 'get_secret' : 'list_secrets', args(n)))
  const most = watchMost(() => ({ host: desk.memory().now, bridge: memoryOf(slow.process.pid ?? 0).now }))
  // The first rush is theirs by right: they have asked for it, and nothing is in the way yet.
  await busy(1000)
  const during = await busy(seconds * 1000)
  const grown = most()
  const held = slow.unanswered()
  slow.readOn()
  const answers = await Promise.all(late)
  calls += DUE
  const after = await busy((seconds * 1000) / 2)

  const [quiet, disturbed] = [spreadOf([...before, ...after]), spreadOf(during)]
  sheet.exactly('answers held back while nobody read them', DUE, held)
  sheet.exactly('answered once they were read again', DUE, answers.length)
  const refused = answers.filter(({ isError }) => isError)
  sheet.note('of these refused, as a client may have 256 calls under way', refused.length.toLocaleString('en'))
  sheet.exactly('refused in other words', 0, refused.filter(({ text }) => text !== `Error: ${texts.tooManyInFlight(256)}`).length)
  sheet.exactly('answered twice, or never asked', 0, slow.odd())
  sheet.atMost('memory the host took on top', 64, Math.max(0, grown.host - hostBefore), 'MB')
  sheet.atMost('memory the slow one’s bridge took on top', 64, Math.max(0, grown.bridge - bridgeBefore), 'MB')
  const change = (disturbed.p99 / quiet.p99 - 1) * 100
  sheet.atMost('the others’ p99, change against before and after', 20, change, '%')
  sheet.note('their p99 before and after, and meanwhile', `${quiet.p99.toFixed(1)} ms, ${disturbed.p99.toFixed(1)} ms`)
  sheet.note('their p50', `${quiet.p50.toFixed(1)} ms, ${disturbed.p50.toFixed(1)} ms`)
  await checkLog(desk, sheet, calls)
}

const args = (n: number): object => (n % 4 === 0 ? { name: 'slow/long' } : {})

function watchMost<T extends Record<string, number>>(look: () => T): () => T {
  let most = look()
  const timer = setInterval(() => {
    const now = look()
    most = Object.fromEntries(Object.entries(now).map(([name, value]) => [name, Math.max(value, most[name] ?? 0)])) as T
  }, 100)
  return () => {
    clearInterval(timer)
    return most
  }
}
