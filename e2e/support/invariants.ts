// What must hold after any kill, read from the outside: through the page of the host that started next.

import { isDeepStrictEqual } from 'node:util'
import type { AuditPage, LedgerEntry } from '../../src-shared/audit.ts'
import type { Person } from './host.ts'

/** Every entry of every call, oldest first. */
async function stories(person: Person): Promise<LedgerEntry[][]> {
  const calls: LedgerEntry[][] = []
  for (let before: number | null = null; ;) {
    const page: AuditPage = await person.ask('audit.query', { filter: { event: ['call'] }, before, limit: 1000 })
    for (const { seq } of page.rows) calls.push(await person.ask('audit.story', { seq }))
    if (page.before === null) return calls.toReversed()
    before = page.before
  }
}

const isWrite = ({ tool }: LedgerEntry) => tool === 'store_secret' || tool === 'remove_secret'
const isApplied = ({ kind, outcome, detail }: LedgerEntry) =>
  kind === 'outcome' && (outcome === 'recovered' ? detail['effect'] === 'applied' : outcome === 'allowed' && detail['reason'] === undefined)

/** A write a client was told had been done. */
export interface Acknowledged {
  secret: string
  /** null: removed. */
  value: string | null
}

/** Returns what is wrong, as sentences; an empty list is what we want. */
export async function violations(person: Person, acknowledged: readonly Acknowledged[]): Promise<string[]> {
  const found: string[] = []
  const verified = await person.ask('audit.verify')
  if (verified.state !== 'ok' || verified.breaks.length > 0) found.push(`the log does not verify: ${JSON.stringify(verified)}`)

  const versions = new Map<string, number>()
  for (const story of await stories(person)) {
    const outcomes = story.filter(({ kind, event }) => kind === 'outcome' && event === 'call')
    const intents = story.filter(({ kind }) => kind === 'intent')
    const name = `call ${story[0]?.call}`
    if (outcomes.length !== 1) found.push(`${name} has ${outcomes.length} outcomes`)
    const [outcome] = outcomes
    if (outcome === undefined) continue
    const applied = isApplied(outcome)
    if (isWrite(outcome) && applied && outcome.detail['joined'] !== true && intents.length !== 1)
      found.push(`${name} was applied with ${intents.length} intents`)
    if (intents.some(({ seq }) => seq > outcome.seq)) found.push(`${name} has an intent after its outcome`)
    if (story.filter(({ event }) => event === 'approval.ended').length > 1) found.push(`${name} was decided twice`)
    if (!applied || outcome.secret === null || intents.length === 0) continue
    if (outcome.tool === 'store_secret') versions.set(outcome.secret, Number(outcome.detail['version']))
    if (outcome.tool === 'remove_secret') versions.delete(outcome.secret)
  }

  const held = new Map((await person.ask('secrets.list')).map(({ name, version }) => [name, version]))
  if (!isDeepStrictEqual(held, versions)) {
    found.push(`the vault holds ${JSON.stringify([...held])}, the log says ${JSON.stringify([...versions])}`)
  }
  const latest = new Map(acknowledged.map(({ secret, value }) => [secret, value]))
  for (const [secret, value] of latest) {
    const now = held.has(secret) ? (await person.ask('secrets.reveal', { name: secret, purpose: 'show' })).value : null
    if (now !== value) found.push(`'${secret}' was acknowledged and is not what was acknowledged`)
  }
  return found
}
