// A log of a million entries: what it costs to add to it, to look at it, to prove it, and what the calls of the day notice of that.

import { statSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { PAGE, questions, type AskedLog } from '../../bench/questions.ts'
import { freshHome, type AtEnd, type Person } from '../support/host.ts'
import type { Caller } from './caller.ts'
import { NO_LIMITS, openLoadDesk, SHARED } from './desk.ts'
import { spreadOf } from './figures.ts'
import { fill } from './fill.ts'
import type { Sheet } from './sheet.ts'

const TIMES = 9
const CALLERS = 4
const PAUSE_MS = 5
const QUIET_MS = 10_000

export async function million(sheet: Sheet, atEnd: AtEnd, rows = 1_000_000): Promise<void> {
  const young = await openLoadDesk(atEnd)
  await young.person.ask('settings.set', NO_LIMITS)
  const whenYoung = spreadOf(await keepCalling([await young.client('client')], wait(QUIET_MS / 2)))
  await young.host.stop()

  // Before its host is first started: what a host had written today would lie before ninety days of the past.
  const home = freshHome(atEnd)
  const cost = await fill(home, rows)
  const began = performance.now()
  const desk = await openLoadDesk(atEnd, { home })
  const opened = performance.now() - began
  const { person } = desk
  const log = askedBy(person)
  await person.ask('settings.set', NO_LIMITS)
  const callers: Caller[] = [await desk.client('client')]
  while (callers.length < CALLERS) callers.push(await desk.again('client'))
  // Every start is followed by a look at the whole log.
  const checked = performance.now()
  while ((await person.ask('audit.verified')) === null) await wait(500)
  sheet.note('the look at the whole log that follows every start', `${((performance.now() - checked) / 1000).toFixed(1)} s`)
  const whenOld = spreadOf(await keepCalling(callers.slice(0, 1), wait(QUIET_MS / 2)))

  sheet.note('entries added, over 90 days of made-up calls', rows.toLocaleString('en'))
  sheet.atMost('size of the log on disk', (300 * rows) / 1_000_000, statSync(path.join(home, 'audit.db')).size / 1e6, 'MB')
  sheet.atMost('cost of an entry in the last tenth, compared with the first', 1.25, cost.last / cost.first, 'times')
  sheet.note('an entry in the first and in the last tenth', `${cost.first.toFixed(0)} µs, ${cost.last.toFixed(0)} µs`)
  sheet.note('a call with an empty log and with the long one, p50', `${whenYoung.p50.toFixed(1)} ms, ${whenOld.p50.toFixed(1)} ms`)
  sheet.note('from starting the host to being logged in', `${(opened / 1000).toFixed(1)} s`)
  sheet.atMost('first page', 50, await middleOf(() => log.query({}, null, PAGE)), 'ms')
  for (const { what, target, ask } of questions(rows, Date.now())) {
    sheet.atMost(what.trim().replace(/^its page/, 'the same, page'), target, await middleOf(() => ask(log)), 'ms')
  }

  const quiet = spreadOf(await keepCalling(callers, wait(QUIET_MS)))
  const since = Date.now()
  const start = performance.now()
  const verifying = person.ask('audit.verify')
  const pages = pagesWhile(verifying, () => log.query({}, null, PAGE))
  const busy = spreadOf(await keepCalling(callers, verifying))
  const meanwhile = spreadOf(await pages)
  const report = await verifying
  sheet.exactly('the chain of the log', 'ok', report.state)
  sheet.atLeast('entries verified', rows, report.state === 'ok' ? report.entries : 0, '')
  sheet.atMost('full verify, off the main thread, while calls go on', 20, (performance.now() - start) / 1000, 's')
  sheet.note('first page meanwhile, p50 and longest', `${meanwhile.p50.toFixed(0)} ms, ${meanwhile.max.toFixed(0)} ms`)
  sheet.note('p99 of calls without and with a verify', `${quiet.p99.toFixed(1)} ms, ${busy.p99.toFixed(1)} ms`)
  sheet.note(
    'event loop lag of the host meanwhile, longest',
    `${Math.max(0, ...desk.samples(since).map(({ lagMax }) => lagMax)).toFixed(0)} ms`,
  )
  sheet.note('memory of the host at its most', `${desk.memory().most.toFixed(0)} MB`)
}

const askedBy = (person: Person): AskedLog => ({
  query: (filter, before, limit, skip = 0) => person.ask('audit.query', { filter, before, limit, skip }),
  totals: (filter) => person.ask('audit.totals', { filter }),
  facets: (filter) => person.ask('audit.facets', { filter }),
  histogram: (filter, from, to, buckets) => person.ask('audit.histogram', { filter, from, to, buckets }),
})

/** A person waits for the usual one, not for the quickest. */
async function middleOf(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < TIMES; n++) {
    const began = performance.now()
    await work()
    times.push(performance.now() - began)
  }
  return spreadOf(times).p50
}

/** As long as it takes, one a tenth of a second. */
async function pagesWhile(over: Promise<unknown>, page: () => Promise<unknown>): Promise<number[]> {
  let going = true
  void over.finally(() => (going = false))
  const times: number[] = []
  while (going) {
    const began = performance.now()
    await page()
    times.push(performance.now() - began)
    await wait(100)
  }
  return times
}

async function keepCalling(callers: readonly Caller[], over: Promise<unknown>): Promise<number[]> {
  let going = true
  void over.finally(() => (going = false))
  const times = callers.map(async (caller) => {
    const own: number[] = []
    while (going) {
      own.push((await caller.call('get_secret', { name: SHARED[0] })).ms)
      await wait(PAUSE_MS)
    }
    return own
  })
  return (await Promise.all(times)).flat()
}
