// What a call costs as things pile up: secrets, clients, entries in the log. Two hosts over the same keychain take turns, one that
// stays as it was and one that grows, so that what is seen is the growth and not the hour.

import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startHost, type AtEnd, type RunningHost } from '../e2e/support/host.ts'
import { median } from './numbers.ts'
import { bridgeTo, GET, LIST, openOurs } from './ours.ts'
import { openParts, type Parts } from './parts.ts'
import { megabytesOf, rssMegabytes } from './processes.ts'
import { callOf, converse, type Conversation } from './stdio.ts'

export interface GrowthEffort {
  secrets: number[]
  clients: number[]
  rows: number[]
  sealed: number[]
  calls: number
}

export interface Point {
  /** How many of what grew. */
  at: number
  /** Milliseconds, p50. */
  get: number
  list: number
  /** The same calls of the host that did not grow, and the keychain by itself, at the same time. */
  baseGet: number
  baseList: number
  keytar: number
}

export interface Growth {
  secrets: Point[]
  clients: Point[]
  rows: Point[]
  sealed: Point[]
  /** Of the host with everything in it. */
  full: {
    rssMegabytes: number
    logMegabytes: number
    verifySeconds: number
    firstPageMs: number
    rows: number
    entries: number
    secrets: number
  } | null
}

const DAYS = '90'
/** V8 keeps the memory of a thread that has ended, such as the one that read the log, for eight seconds, in case another wants it. */
const GIVEN_BACK_MS = 12_000

export async function measureGrowth(atEnd: AtEnd, effort: GrowthEffort, say: (line: string) => void): Promise<Growth> {
  const base = await openOurs(atEnd)
  const grown = await openOurs(atEnd)
  const parts = await openParts(base.host.home)
  atEnd(parts.close)
  let still = await converse(base.program)
  let talk = await converse(grown.program)
  const growth: Growth = { secrets: [], clients: [], rows: [], sealed: [], full: null }
  const point = async (at: number, of: Conversation): Promise<Point> => measure(at, of, still, parts, effort.calls)

  let stored = 5
  for (const count of effort.secrets) {
    for (; stored < count; stored++) await grown.person.ask('secrets.store', { name: `other/${stored}`, value: 'x' })
    growth.secrets.push(await point(count, talk))
    say(`secrets: ${count}`)
  }

  const others: Conversation[] = []
  for (const count of effort.clients) {
    while (others.length < count - 1) others.push(await converse(grown.program))
    growth.clients.push(await point(count, talk))
    say(`clients: ${count}`)
  }

  let host: RunningHost = grown.host
  let baseHost: RunningHost = base.host
  let rows = 0
  for (const count of effort.rows) {
    if (count > rows) {
      for (const other of [...others.splice(0), talk]) await other.close()
      grown.person.leave()
      await host.stop()
      const fill = path.join(import.meta.dirname, '..', 'scripts', 'fill-audit.ts')
      execFileSync(process.execPath, [fill, String(count - rows), DAYS], {
        env: { ...process.env, COUNTERSIGN_HOME: host.home },
        stdio: 'ignore',
      })
      rows = count
      // Both of them: one that has run for a while is warm, and one that was just started is not.
      await still.close()
      base.person.leave()
      await baseHost.stop()
      host = await startHost({ atEnd, home: host.home })
      baseHost = await startHost({ atEnd, home: baseHost.home })
      for (const one of [host, baseHost]) await checked(one)
      talk = await converse(grown.program)
      still = await converse(base.program)
    }
    growth.rows.push(await point(count, talk))
    say(`rows: ${count}`)
  }
  growth.full = await whole(host, rows, stored)
  await talk.close()
  await host.stop()

  if (effort.sealed.length > 0) growth.sealed = await sealed(atEnd, effort.sealed, point, say)
  await still.close()
  return growth
}

/** Every start is followed by a look at the whole log, which takes a core for a while: what is measured here is the log's length. */
async function checked(host: RunningHost): Promise<void> {
  const person = await host.person()
  while ((await person.ask('audit.verified')) === null) await wait(200)
  person.leave()
}

/** Without a keychain: the vault that a passphrase opens. */
async function sealed(
  atEnd: AtEnd,
  counts: number[],
  point: (at: number, of: Conversation) => Promise<Point>,
  say: (line: string) => void,
): Promise<Point[]> {
  const { host, person } = await openOurs(atEnd, { env: { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' } })
  if (host.ready.store !== 'sealed') throw new Error('the vault was to be a sealed one')
  const talk = await converse(bridgeTo(host.home))
  atEnd(talk.close)
  const points: Point[] = []
  let stored = 5
  for (const count of counts) {
    while (stored < count) {
      const some = Array.from({ length: Math.min(50, count - stored) }, () => ({ name: `other/${stored++}`, value: 'x' }))
      await Promise.all(some.map((secret) => person.ask('secrets.store', secret)))
    }
    points.push(await point(count, talk))
    say(`sealed: ${count}`)
  }
  return points
}

async function measure(at: number, grown: Conversation, still: Conversation, parts: Parts, calls: number): Promise<Point> {
  const times = { get: [] as number[], list: [] as number[], baseGet: [] as number[], baseList: [] as number[], keytar: [] as number[] }
  const turns = [
    async () => void (times.get.push(await grown.time(callOf(GET))), times.list.push(await grown.time(callOf(LIST)))),
    async () => void (times.baseGet.push(await still.time(callOf(GET))), times.baseList.push(await still.time(callOf(LIST)))),
  ]
  for (let n = 0; n < calls; n++) {
    // Now one first and now the other: whoever comes second finds the machine awake.
    for (const turn of n % 2 === 0 ? turns : turns.toReversed()) await turn()
    times.keytar.push(await parts.keytar())
  }
  const { get, list, baseGet, baseList, keytar } = times
  return { at, get: median(get), list: median(list), baseGet: median(baseGet), baseList: median(baseList), keytar: median(keytar) }
}

async function whole(host: RunningHost, rows: number, secrets: number): Promise<Growth['full']> {
  const person = await host.person()
  const began = performance.now()
  await person.ask('audit.query', { limit: 100 })
  const firstPageMs = performance.now() - began
  await wait(GIVEN_BACK_MS)
  const rss = rssMegabytes(host.ready.pid)
  const verifying = performance.now()
  const report = await person.ask('audit.verify')
  if (report.state !== 'ok') throw new Error(`the log does not verify: ${report.state}`)
  const verifySeconds = (performance.now() - verifying) / 1000
  person.leave()
  return {
    rssMegabytes: rss,
    logMegabytes: megabytesOf(path.join(host.home, 'audit.db')),
    verifySeconds,
    firstPageMs,
    rows,
    entries: report.head,
    secrets,
  }
}
