// So many calls a second for a while, each on record before its answer. The calls come when they come, whether or not earlier ones have
// been answered, and each is timed from when it was due: a host that falls behind cannot hide it.

import { setTimeout as wait } from 'node:timers/promises'
import type { AtEnd } from '../support/host.ts'
import type { Answer, Caller } from './caller.ts'
import { checkLog, NO_LIMITS, openLoadDesk } from './desk.ts'
import { spreadOf } from './figures.ts'
import type { Sheet } from './sheet.ts'

const RATE = 2000
/** A little more, because the last answers come after the last calls. */
const OFFERED = 2200
const BRIDGES = 8
/** Until the compiler has seen enough. */
const WARM_UP_MS = 3000
const FLAT_OUT_MS = 5000
const AT_ONCE = 32

export async function rate(sheet: Sheet, atEnd: AtEnd, seconds = 60): Promise<void> {
  const desk = await openLoadDesk(atEnd)
  await desk.person.ask('settings.set', NO_LIMITS)
  const callers: Caller[] = []
  for (let n = 0; n < BRIDGES; n++) callers.push(await desk.client(`client-${n}`))
  const ask = (n: number, due?: number): Promise<Answer> => {
    const caller = callers[n % BRIDGES] as Caller
    return n % 2 === 0
      ? caller.call('list_secrets', {}, due)
      : caller.call('test_policy', { scope: caller.client, secret_name: 'shared/aws' }, due)
  }
  const warm = await flatOut(ask, WARM_UP_MS)
  const most = await flatOut(ask, FLAT_OUT_MS)

  const since = Date.now()
  const began = performance.now()
  const answers: Promise<Answer>[] = []
  for (let sent = 0; sent < OFFERED * seconds;) {
    const due = Math.min(OFFERED * seconds, Math.floor(((performance.now() - began) / 1000) * OFFERED))
    for (; sent < due; sent++) answers.push(ask(sent, began + (sent / OFFERED) * 1000))
    await wait(2)
  }
  const heard = await Promise.all(answers)
  const took = (performance.now() - began) / 1000
  const { p50, p99, max } = spreadOf(heard.map(({ ms }) => ms))
  const lag = desk.samples(since)

  sheet.atLeast(`audited calls a second, for ${seconds} s (${OFFERED.toLocaleString('en')} offered)`, RATE, heard.length / took, '')
  sheet.exactly('answered', OFFERED * seconds, heard.filter(({ isError }) => !isError).length)
  sheet.exactly(
    'answered twice, or never asked',
    0,
    callers.reduce((sum, caller) => sum + caller.odd(), 0),
  )
  await checkLog(desk, sheet, OFFERED * seconds + warm.calls + most.calls)
  sheet.note('from due to answered: p50, p99, longest', `${p50.toFixed(1)} ms, ${p99.toFixed(1)} ms, ${max.toFixed(0)} ms`)
  sheet.note(
    'event loop lag of the host: p99 of its worst second, longest',
    `${Math.max(...lag.map(({ lagP99 }) => lagP99)).toFixed(0)} ms, ${Math.max(...lag.map(({ lagMax }) => lagMax)).toFixed(0)} ms`,
  )
  sheet.note(
    `as fast as they come, ${AT_ONCE * BRIDGES} at once`,
    `${Math.round(most.calls / (most.ms / 1000)).toLocaleString('en')} a second`,
  )
  sheet.note('memory of the host at its most', `${desk.memory().most.toFixed(0)} MB`)
}

/** Always the same number under way. */
async function flatOut(ask: (n: number) => Promise<Answer>, ms: number): Promise<{ calls: number; ms: number }> {
  const began = performance.now()
  let calls = 0
  const lane = async (): Promise<void> => {
    while (performance.now() - began < ms) await ask(calls++)
  }
  await Promise.all(Array.from({ length: AT_ONCE * BRIDGES }, lane))
  return { calls, ms: performance.now() - began }
}
