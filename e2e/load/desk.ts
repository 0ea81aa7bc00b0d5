// The host that is put under load, with secrets that may be read, and clients that may read them.

import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { freshHome, startHost, type AtEnd, type Person, type RunningHost } from '../support/host.ts'
import { sentinel } from '../support/sentinel.ts'
import { startCaller, type Caller } from './caller.ts'
import type { Sample } from './probe.ts'
import { memoryOf, probed, samplesOf } from './watch.ts'
import type { Sheet } from './sheet.ts'

export interface LoadDesk {
  host: RunningHost
  person: Person
  /** Registers a client that may read everything below `shared/` and below its own name. */
  client: (id: string) => Promise<Caller>
  /** Another bridge of a client that is registered. */
  again: (id: string) => Promise<Caller>
  memory: () => { now: number; most: number }
  /** What the probe in the host has seen since a time. */
  samples: (since?: number) => Sample[]
}

/** Which nobody meets who is let through as fast as can be. */
export const NO_LIMITS = { callsPerSecond: 100_000, callBurst: 100_000, callsInFlight: 10_000 }

export const ownSecret = (id: string): string => `${id}/key`
export const valueOf = (name: string): string => sentinel(name)
export const SHARED = ['shared/aws', 'shared/github', 'shared/npm', 'shared/openai', 'shared/stripe'] as const

interface DeskOptions {
  home?: string
  collectEverySeconds?: number
  nodeOptions?: string[]
  args?: string[]
}

export async function openLoadDesk(
  atEnd: AtEnd,
  { home = freshHome(atEnd), collectEverySeconds, nodeOptions, args = [] }: DeskOptions = {},
): Promise<LoadDesk> {
  const seen = path.join(home, '..', `${path.basename(home)}-probe`)
  mkdirSync(seen, { recursive: true })
  atEnd(() => rmSync(seen, { recursive: true, force: true }))
  const host = await startHost({ home, atEnd, args, env: probed(seen, collectEverySeconds, nodeOptions) })
  const person = await host.person()
  atEnd(person.leave)
  for (const name of SHARED) await person.ask('secrets.store', { name, value: valueOf(name), force: true })
  return {
    host,
    person,
    client: async (id) => {
      await person.ask('policies.save', { name: id, description: '', allow: ['shared/*', `${id}/*`], deny: [], reads: 'always' })
      await person.ask('clients.register', { id, name: id, policy: id })
      await person.ask('secrets.store', { name: ownSecret(id), value: valueOf(ownSecret(id)) })
      return startCaller(home, id, atEnd)
    },
    again: (id) => startCaller(home, id, atEnd),
    memory: () => memoryOf(host.ready.pid),
    samples: (since = 0) => samplesOf(seen, host.ready.pid).filter(({ at }) => at >= since),
  }
}

/** The log must hold every call once, in an unbroken row. */
export async function checkLog({ host, person }: LoadDesk, sheet: Sheet, calls: number): Promise<void> {
  const { rows } = await person.ask('audit.totals', { filter: { event: ['call'], tool: ['get_secret', 'list_secrets', 'test_policy'] } })
  sheet.exactly('calls on record', calls, rows)
  const report = await person.ask('audit.verify')
  sheet.exactly('the chain of the log', 'ok', report.state)
  const db = new DatabaseSync(path.join(host.home, 'audit.db'), { readOnly: true })
  const found = db.prepare('SELECT max(seq) - min(seq) + 1 - count(*) AS gaps, min(seq) AS first FROM ledger').get()
  db.close()
  sheet.exactly('gaps in its numbers', 0, Number(found?.['gaps']))
}
