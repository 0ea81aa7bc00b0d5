// One client that reads one value after another, allowed by a rule: what a person at a quiet desk gets.

import type { AtEnd } from '../support/host.ts'
import { checkLog, NO_LIMITS, openLoadDesk, SHARED, valueOf } from './desk.ts'
import { spreadOf } from './figures.ts'
import type { Sheet } from './sheet.ts'

const WARM_UP = 100

export async function reads(sheet: Sheet, atEnd: AtEnd, calls = 2000): Promise<void> {
  const desk = await openLoadDesk(atEnd)
  await desk.person.ask('settings.set', NO_LIMITS)
  const caller = await desk.client('client')
  const times: number[] = []
  let right = 0
  for (let n = 0; n < WARM_UP + calls; n++) {
    const name = SHARED[n % SHARED.length] ?? SHARED[0]
    const { text, ms } = await caller.call('get_secret', { name })
    if (n < WARM_UP) continue
    times.push(ms)
    if (text === valueOf(name)) right++
  }
  const { p50, p99, max } = spreadOf(times)
  sheet.exactly('values read, each the right one', calls, right)
  sheet.atMost('`get_secret` from client to client, p50', 8, p50, 'ms')
  sheet.atMost('the same, p99', 50, p99, 'ms')
  sheet.note('longest', `${max.toFixed(0)} ms`)
  await checkLog(desk, sheet, WARM_UP + calls)
}
