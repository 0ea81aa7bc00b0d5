// An ordinary day, made short: clients that call, come and go, a person who answers, looks and edits. Memory, open files and the event
// loop are watched, and what grows must not keep growing.

import { setTimeout as wait } from 'node:timers/promises'
import { enter, freshHome, type AtEnd } from '../support/host.ts'
import { NO_LIMITS, openLoadDesk, ownSecret, SHARED, valueOf, type LoadDesk } from './desk.ts'
import { fill } from './fill.ts'
import { growthByQuarter, least, slopeOf, spreadOf, type Slope } from './figures.ts'
import type { Sheet } from './sheet.ts'
import { filesOpenIn } from './watch.ts'

const STEADY = 3
/** Of the whole time, at first: so many calls at once that every heap is soon as large as it ever gets. They grow in steps, for hours. */
const HOT = 0.1
const HOT_MINUTES = 1
const AT_ONCE = 16
/** Of the whole time: until that is over and what it left behind is gone. */
const WARM_UP = 0.25
/** Entries in the log from the start: more than the caches of the database hold, which otherwise grow with it for hours. */
const PAST = 200_000
const COLLECT_EVERY_S = 10
/** Left to itself it is between 1 and 70 MB large, as busy as the machine is, and V8 keeps the pages: what leaks cannot be seen beside that. */
const YOUNG_MB = 8
/** Of answers that were not the right ones, so many different ones. */
const TOLD = 5
/** To speak of a slope at all. */
const LEAST_MINUTES = 5
/** In megabytes an hour: less cannot be told from none in so short a time. */
const NONE = 10

export async function soak(sheet: Sheet, atEnd: AtEnd, minutes = 10): Promise<void> {
  const home = freshHome(atEnd)
  await (await openLoadDesk(atEnd, { home })).host.stop()
  await fill(home, PAST)
  const nodeOptions = [`--max-semi-space-size=${YOUNG_MB}`]
  const desk = await openLoadDesk(atEnd, { home, collectEverySeconds: COLLECT_EVERY_S, nodeOptions })
  const { person, host } = desk
  await person.ask('settings.set', NO_LIMITS)
  const hotUntil = performance.now() + Math.min(minutes * HOT, HOT_MINUTES) * 60_000
  const over = performance.now() + minutes * 60_000
  const steady = await Promise.all(Array.from({ length: STEADY }, (_, n) => desk.client(`steady-${n}`)))
  const writer = await desk.client('writer')
  await (await desk.client('passing')).leave()
  let calls = 0
  const wrong: string[] = []
  const expect = async (answer: Promise<{ text: string; isError: boolean }>, text: string): Promise<void> => {
    calls++
    const heard = await answer
    // Only what went wrong is told: another answer may be a value.
    if (heard.text !== text) wrong.push(heard.isError ? heard.text : 'another answer')
  }
  /** Again and again, with a pause between. */
  const every = async (ms: number, work: (n: number) => Promise<unknown>): Promise<void> => {
    for (let n = 0; performance.now() < over; n++) {
      await work(n)
      await wait(Math.min(ms, Math.max(0, over - performance.now())))
    }
  }

  const seen: { at: number; files: number; calls: number }[] = []
  const restingFiles = filesOpenIn(host.ready.pid)
  await Promise.all([
    ...steady.map(async (caller) => {
      const ask = (n: number): Promise<void> => {
        if (n % 4 === 0) return expect(caller.call('test_policy', { scope: caller.client, secret_name: 'elsewhere/key' }), 'denied')
        const name = n % 4 === 1 ? ownSecret(caller.client) : (SHARED[n % SHARED.length] ?? SHARED[0])
        return expect(caller.call('get_secret', { name }), valueOf(name))
      }
      const lane = async (): Promise<void> => {
        for (let n = 0; performance.now() < hotUntil; n++) await ask(n)
      }
      await Promise.all(Array.from({ length: AT_ONCE }, lane))
      await every(25, ask)
    }),
    every(1500, async () => {
      const passing = await desk.again('passing')
      for (let n = 0; n < 3; n++) await expect(passing.call('get_secret', { name: SHARED[n] ?? '' }), valueOf(SHARED[n] ?? ''))
      await passing.leave()
    }),
    // Not more often than a client may ask a person.
    every(15_000, (n) =>
      expect(writer.call('store_secret', { name: 'writer/new', value: valueOf(`new ${n}`), force: true }), "Stored secret 'writer/new'"),
    ),
    every(500, async () => {
      for (const approval of (await person.ask('approvals.list')).open) await person.answer(approval, 'allow')
    }),
    every(4000, () => visit(desk)),
    every(10_000, (n) =>
      person.ask('policies.save', { name: 'spare', description: String(n), allow: ['spare/*'], deny: [], reads: 'ask' }),
    ),
    every(60_000, async () => {
      const report = await person.ask('audit.verify')
      if (report.state !== 'ok') wrong.push(`the log: ${report.reason}`)
    }),
    every(1000, async () => seen.push({ at: Date.now(), files: filesOpenIn(host.ready.pid), calls })),
  ])

  const samples = desk.samples()
  const warm = samples.slice(Math.floor(samples.length * WARM_UP))
  const hours = (at: number): number => at / 3_600_000
  const lag = spreadOf(warm.map(({ lagP99 }) => lagP99))

  sheet.note('how long', `${minutes} min, of which ${Math.round(minutes * WARM_UP * 10) / 10} to warm up`)
  const before = seen.findLast(({ at }) => at <= (warm[0]?.at ?? 0))?.calls ?? 0
  sheet.note('each half of the young heap of its main thread held at', `${YOUNG_MB} MB`)
  sheet.note('calls, and of these after warming up', `${calls.toLocaleString('en')}, ${(calls - before).toLocaleString('en')}`)
  sheet.exactly('answers that were not the right ones', 0, wrong.length)
  if (wrong.length > 0) sheet.note('which these were', [...new Set(wrong)].slice(0, TOLD).join('; '))
  // Before that, everything grows: caches fill, and the compiler is still at work.
  if (minutes >= LEAST_MINUTES) {
    // In between there are pages that a reader of the log has not thrown away yet, and the log is read all the time.
    const collected = warm.filter(({ aliveMb }) => aliveMb !== null)
    const memory = slopeOf(
      collected.map(({ at, rssMb }) => ({ x: hours(at), y: rssMb })),
      least,
    )
    const all = slopeOf(warm.map(({ at, rssMb }) => ({ x: hours(at), y: rssMb })))
    const alive = slopeOf(collected.map(({ at, aliveMb }) => ({ x: hours(at), y: aliveMb ?? 0 })))
    sheet.atMost(
      'growth of the host’s memory that is certain (95 %), by the least of each twelfth of the time',
      NONE,
      Math.max(0, memory.low),
      'MB an hour',
    )
    sheet.note('the slope of its memory', told(memory))
    const quarters = growthByQuarter(
      collected.map(({ rssMb }) => rssMb),
      least,
    )
    sheet.note(
      'by how much each quarter of the time was above the one before, by the least of each',
      `${quarters.map((mb) => mb.toFixed(1)).join(', ')} MB`,
    )
    sheet.note('the same by the mean of each twelfth, garbage included', told(all))
    sheet.atMost('growth of what is alive in its main thread that is certain (95 %)', NONE, Math.max(0, alive.low), 'MB an hour')
    sheet.note('the slope of what is alive', told(alive))
  }
  sheet.note('its memory after warming up, and at the end', `${warm[0]?.rssMb.toFixed(0)} MB, ${warm.at(-1)?.rssMb.toFixed(0)} MB`)
  sheet.note('files open, at the start and at most', `${restingFiles}, ${Math.max(...seen.map(({ files }) => files))}`)
  await settle(sheet, desk, restingFiles)
  sheet.note('things open in its event loop, after warming up and at the end', `${warm[0]?.resources}, ${warm.at(-1)?.resources}`)
  sheet.note('event loop lag, p99 of the usual and of the worst second', `${lag.p50.toFixed(0)} ms, ${lag.max.toFixed(0)} ms`)
}

/** Somebody opens the page, looks around, and closes it. */
async function visit({ host }: LoadDesk): Promise<void> {
  const visitor = await enter(host.ready.url)
  await visitor.ask('audit.query', { filter: { text: 'steady' } })
  await visitor.ask('audit.facets')
  await visitor.ask('secrets.list')
  visitor.leave()
}

/** Whatever was opened for somebody who has left is closed again. */
async function settle(sheet: Sheet, { host }: LoadDesk, resting: number): Promise<void> {
  const until = performance.now() + 10_000
  while (filesOpenIn(host.ready.pid) > resting && performance.now() < until) await wait(200)
  sheet.atMost('files open at rest, compared with the start', 2, Math.max(0, filesOpenIn(host.ready.pid) - resting), 'more')
}

const told = ({ slope, low, high }: Slope): string => `${slope.toFixed(1)} MB an hour (95 %: ${low.toFixed(1)} to ${high.toFixed(1)})`
