// The vault in memory: one entry per name, built from the rows that are ours.

import { isSecretName } from '../../../src-shared/names.ts'
import type { SecretInfo, SecretVersion } from '../../../src-shared/secret.ts'
import type { Records, SecretRecord, VersionRecord } from './records.ts'
import type { SecretsRoot } from './root.ts'

export interface Entry {
  secret: SecretRecord
  live: VersionRecord | null
  /** Newest first. */
  formers: VersionRecord[]
  /** Our database says without contradiction which value is current. If not, no value is handed out. */
  trusted: boolean
  /** Rows of this name that are not ours; they go with the next change. */
  strays: string[]
}

export interface Loaded {
  entries: Map<string, Entry>
  /** Changes that were cut short. */
  unfinished: VersionRecord[]
}

export function loadEntries(records: Records, root: SecretsRoot): Loaded {
  const entries = new Map<string, Entry>()
  const unfinished: VersionRecord[] = []
  for (const { record, genuine } of records.secrets()) {
    if (!isSecretName(record.name)) continue
    entries.set(record.name, { secret: record, live: null, formers: [], trusted: genuine, strays: [] })
  }
  for (const { record, genuine } of records.versions()) {
    // Names of ours have been through the door. Anything else was written here to be read by somebody.
    if (!isSecretName(record.name)) continue
    if (genuine && (record.state === 'pending' || record.state === 'doomed')) {
      unfinished.push(record)
      continue
    }
    const entry = entries.get(record.name) ?? withoutSecret(record)
    entries.set(record.name, entry)
    if (!genuine) entry.strays.push(record.id)
    else if (record.state === 'live') entry.live = record
    else entry.formers.unshift(record)
  }
  for (const entry of entries.values()) settle(entry)
  const altered = expectSigned(entries, root)
  // Whatever an altered row says of an item, it may be the one that a person will want back.
  return { entries, unfinished: unfinished.filter(({ name }) => !altered.has(name)) }
}

/** Names whose rows are not the ones that were signed last: put back, taken away, or of another secret's time. */
function expectSigned(entries: Map<string, Entry>, root: SecretsRoot): Set<string> {
  const altered = new Set<string>()
  for (const [name, { counter, present }] of root.signed()) {
    const entry = entries.get(name)
    if (entry === undefined) entries.set(name, gone(name, counter, present))
    else if (root.isAsSigned(name)) continue
    else distrust(entry, counter, present)
    if (present || entry !== undefined) altered.add(name)
  }
  for (const [name, entry] of entries) {
    if (root.signed().has(name)) continue
    distrust(entry, 0, true)
    altered.add(name)
  }
  return altered
}

function distrust(entry: Entry, counter: number, present: boolean): void {
  const { secret } = entry
  entry.trusted = false
  secret.counter = Math.max(secret.counter, counter)
  if (present) secret.created ??= 0
}

/** Of a secret that was removed only its counter was left, and that is known. */
function gone(name: string, counter: number, present: boolean): Entry {
  const secret: SecretRecord = { name, counter, created: present ? 0 : null, tags: [], expires: null, lastUsed: null, noticed: 'ok' }
  return { secret, live: null, formers: [], trusted: !present, strays: [] }
}

export function isPresent(entry: Entry): boolean {
  return entry.secret.created !== null
}

export function infoOf({ secret, live, trusted }: Entry): SecretInfo {
  return {
    name: secret.name,
    version: live?.version ?? secret.counter,
    created: secret.created ?? 0,
    updated: live?.created ?? secret.created ?? 0,
    lastUsed: secret.lastUsed,
    storedBy: live?.storedBy ?? '',
    tags: [...secret.tags],
    expires: secret.expires,
    state: trusted ? secret.noticed : 'changed outside',
  }
}

export function versionsOf({ live, formers }: Entry): SecretVersion[] {
  const show = ({ version, created, storedBy }: VersionRecord, current: boolean) => ({ version, created, storedBy, current })
  return [...(live === null ? [] : [show(live, true)]), ...formers.map((former) => show(former, false))]
}

/** The row of the name is gone, the rows of its values are not: somebody took it away. */
function withoutSecret({ name, created }: VersionRecord): Entry {
  const secret: SecretRecord = { name, counter: 0, created, tags: [], expires: null, lastUsed: null, noticed: 'ok' }
  return { secret, live: null, formers: [], trusted: false, strays: [] }
}

/** The current value is always the newest version: anything else is an old row put back. */
function settle(entry: Entry): void {
  const { secret, live, formers, strays } = entry
  const highest = Math.max(secret.counter, live?.version ?? 0, ...formers.map(({ version }) => version))
  if (secret.created === null) entry.trusted &&= live === null && formers.length === 0 && strays.length === 0
  else entry.trusted &&= live !== null && live.version === secret.counter
  if (!entry.trusted) {
    secret.counter = highest
    secret.created ??= live?.created ?? 0
  }
}
