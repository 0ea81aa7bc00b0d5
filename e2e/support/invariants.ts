// What must hold after any kill (I1 to I8), read through the page of the host that started next and from the files beside it.

import { execFile } from 'node:child_process'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual, promisify } from 'node:util'
import { PERSON } from '../../src-shared/client.ts'
import { aboutCalls } from '../crash/calls.ts'
import { aboutConfig } from '../crash/config.ts'
import { createLedger, replay, type Story } from '../crash/ledger.ts'
import type { Witness } from '../crash/witness.ts'
import type { Person } from './host.ts'

export interface Place {
  /** The host's own folder. */
  data: string
  /** The person's home. */
  home: string
  /** The service our items are under; null where the vault is sealed. */
  service: string | null
}

export interface Checker {
  /** What is wrong, as sentences; an empty list is what we want. Nobody may be calling meanwhile. */
  check: (person: Person, witness: Witness) => Promise<string[]>
}

export function createChecker(place: Place): Checker {
  const ledger = createLedger()
  return {
    check: async (person, witness) => [
      ...(await aboutLog(person)),
      ...ledger.read(path.join(place.data, 'audit.db')).map((sentence) => `I1: ${sentence}`),
      ...aboutCalls(ledger, witness),
      ...(await aboutVault(person, ledger.stories.values(), witness)),
      ...(await aboutItems(place)),
      ...(await aboutConfig(person, place, witness)),
    ],
  }
}

async function aboutLog(person: Person): Promise<string[]> {
  const verified = await person.ask('audit.verify')
  const { state, alarms } = await person.ask('status')
  return [
    ...(verified.state === 'ok' && verified.breaks.length === 0 ? [] : [`I1: the log does not verify: ${JSON.stringify(verified)}`]),
    ...(state === 'open' ? [] : [`I1: the vault is ${state}`]),
    ...alarms.map(({ text }) => `I1: there is an alarm: ${text}`),
  ]
}

/** The vault is what the log says was done, value by value. */
async function aboutVault(person: Person, stories: Iterable<Story>, witness: Witness): Promise<string[]> {
  const found: string[] = []
  const expected = replay(stories)
  const held = await person.ask('secrets.list')
  const log = new Map([...expected].map(([name, versions]) => [name, [...versions.keys()]]))
  const vault = new Map<string, number[]>()
  for (const { name, state } of held) {
    vault.set(
      name,
      (await person.ask('secrets.versions', { name })).map(({ version }) => version),
    )
    if (state !== 'ok') found.push(`I3: '${name}' is ${state}`)
  }
  if (!sameMap(log, vault)) found.push(`I3: the vault holds ${JSON.stringify([...vault])}, the log says ${JSON.stringify([...log])}`)
  for (const [name, versions] of expected) {
    // The current one, and one that was current before.
    for (const [version, story] of [...versions].slice(0, 2)) {
      const value = valueOf(story, name, version, witness)
      if (value === null) found.push(`I3: version ${version} of '${name}' was stored by nobody`)
      else if (vault.has(name) && (await valueNow(person, name, version)) !== value)
        found.push(`I3: version ${version} of '${name}' is not what was stored`)
    }
  }
  return found
}

async function valueNow(person: Person, name: string, version: number): Promise<string | Error> {
  return person.ask('secrets.reveal', { name, version, purpose: 'show' }).then(
    ({ value }) => value,
    (error: Error) => error,
  )
}

/** What was to be stored by the call that the log says stored it. */
function valueOf(story: Story, name: string, version: number, { calls, own, doubt }: Witness): string | null {
  if (story.client !== PERSON) return story.label === null ? null : (calls.get(story.label)?.value ?? null)
  const acknowledged = own.get(`${name}\n${version}`)
  if (acknowledged !== undefined) return acknowledged
  if (doubt?.is !== 'store' || doubt.secret !== name) return null
  // Found done: from here on it is as good as acknowledged.
  own.set(`${name}\n${version}`, doubt.value)
  return doubt.value
}

function sameMap(a: Map<string, number[]>, b: Map<string, number[]>): boolean {
  const sorted = (map: Map<string, number[]>) => [...map].toSorted(([x], [y]) => (x < y ? -1 : 1))
  return isDeepStrictEqual(sorted(a), sorted(b))
}

/** Our own accounts beside the secrets. */
const ACCOUNTS = ['sentinel', 'key:chain', 'key:fingerprint', 'key:row', 'audit-head', 'rows-head']

/** Every item has its row and every row its item: nothing half done is left. */
async function aboutItems({ data, service }: Place): Promise<string[]> {
  const rows = query(path.join(data, 'vault.db'), "SELECT state, place, name || '#' || id AS account FROM versions")
  const unfinished = rows.filter(({ state }) => state !== 'live' && state !== 'former')
  const expected = rows.filter(({ place }) => place === 'item').map(({ account }) => String(account))
  const found = unfinished.length === 0 ? [] : [`I7: ${unfinished.length} rows of the vault were not swept`]
  if (service !== null && (await itemsOf(service)).length === expected.length + ACCOUNTS.length) return found
  const accounts =
    service === null
      ? query(path.join(data, 'sealed.db'), 'SELECT account FROM items').map(({ account }) => String(account))
      : await accountsOf(service)
  const items = accounts.filter((account) => !ACCOUNTS.includes(account))
  if (isDeepStrictEqual(items.toSorted(), expected.toSorted())) return found
  return [...found, `I3: the items are ${items.toSorted().join(', ')} instead of ${expected.toSorted().join(', ')}`]
}

function query(file: string, sql: string): Record<string, unknown>[] {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 2000 })
  try {
    return db.prepare(sql).all()
  } finally {
    db.close()
  }
}

async function ask(object: string, method: string, ...args: string[]): Promise<string> {
  const call = ['call', '--session', '--dest', 'org.freedesktop.secrets', '--object-path', object, '--method', method, ...args]
  return (await promisify(execFile)('gdbus', call)).stdout
}

/** Asks the keyring itself, since keytar can only be asked by name safely. */
async function itemsOf(service: string): Promise<string[]> {
  const answer = await ask('/org/freedesktop/secrets', 'org.freedesktop.Secret.Service.SearchItems', `{'service': '${service}'}`)
  return answer.match(/\/org\/freedesktop\/secrets\/[\w/]+/g) ?? []
}

async function accountsOf(service: string): Promise<string[]> {
  const texts = await Promise.all(
    (await itemsOf(service)).map((object) =>
      ask(object, 'org.freedesktop.DBus.Properties.Get', 'org.freedesktop.Secret.Item', 'Attributes'),
    ),
  )
  return texts.map((text) => /'account': '([^']*)'/.exec(text)?.[1] ?? text)
}
