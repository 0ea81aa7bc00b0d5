// What a damaged folder may still say: what it always said, or that something is wrong. Never anything else.

import { expect } from 'vitest'
import { startBridge } from '../support/bridge.ts'
import type { Person, RunningHost } from '../support/host.ts'
import type { History } from './history.ts'

/**
 * `harmless`: all is there and nobody noticed. `alarm`: told to the person without being asked. `verify`: found by whoever verifies.
 * `refused`: a value or a row is withheld. `damaged`: nobody is served until a person decides. `not started`: left with a sentence.
 */
export type Finding = 'harmless' | 'alarm' | 'verify' | 'refused' | 'damaged' | 'not started'

export interface Judged {
  finding: Finding
  /** What an AI client was told when it asked for a value. */
  saw: string
  startMs: number
}

export async function judge(history: History): Promise<Judged> {
  const began = performance.now()
  let host: RunningHost
  try {
    host = await history.start()
  } catch (error) {
    const said = error instanceof Error ? error.message : ''
    expect(said, 'one sentence and no trace').toMatch(/^the host left with 1: countersign: [^\n]+\n$/)
    return { finding: 'not started', saw: said, startMs: performance.now() - began }
  }
  const startMs = performance.now() - began
  const bridge = startBridge({ home: history.home, client: 'cursor' })
  await bridge.initialize()
  const told: string[] = []
  for (const [name, value] of history.secrets) {
    if (!['dev/0', 'dev/1', 'dev/5', 'hidden/x'].includes(name)) continue
    const text = await bridge.call('get_secret', { name })
    const allowed = name !== 'dev/5' && name !== 'hidden/x'
    expect(text === value ? allowed : text.startsWith('Error: '), `the client asked for ${name} and got: ${text.slice(0, 80)}`).toBe(true)
    told.push(text)
  }
  bridge.process.kill('SIGKILL')
  await bridge.exited
  const saw = told.find((text) => text.startsWith('Error: ') && !text.includes('outside')) ?? 'the value'
  const finding = host.ready.state === 'open' ? await look(history, await history.enter(host)) : 'damaged'
  expect(host.stderr(), 'no mistake of ours').toBe('')
  expect(await host.stop()).toBe(0)
  return { finding, saw, startMs }
}

async function look(history: History, person: Person): Promise<Finding> {
  let withheld = false
  for (const [name, value] of history.secrets) {
    const now = await person.ask('secrets.reveal', { name, purpose: 'show' }).then(
      (revealed) => revealed.value,
      () => null,
    )
    withheld ||= now === null
    if (now !== null) expect(now, `the value of ${name}`).toBe(value)
  }
  const { policies, refused } = await person.ask('policies.list')
  const known = new Set(history.policies.map((policy) => JSON.stringify(policy)))
  for (const policy of policies) expect(known, `a policy that nobody made: ${JSON.stringify(policy)}`).toContain(JSON.stringify(policy))
  const { alarms } = await person.ask('status')
  const verified = await person.ask('audit.verify').catch(() => null)
  if (alarms.length > 0) return 'alarm'
  if (withheld || refused.length > 0) return 'refused'
  if (verified?.state !== 'ok') return 'verify'
  expect(policies).toHaveLength(history.policies.length)
  // Nobody says that anything is wrong, so nothing may be.
  const rows = new Map((await person.rows()).map((row) => [row.seq, row]))
  for (const row of history.rows) expect(rows.get(row.seq)).toEqual(row)
  const filtered = await person.ask('audit.query', { filter: { client: ['cursor'], secret: ['dev/0'] }, limit: 1000 })
  const seen = new Set(filtered.rows.map(({ seq }) => seq))
  for (const { seq, client, secret } of history.rows) if (client === 'cursor' && secret === 'dev/0') expect(seen).toContain(seq)
  return 'harmless'
}
