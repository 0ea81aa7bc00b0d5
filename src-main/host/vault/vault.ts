// The vault: names and what is known about them from memory, values from the keychain, one at a time and never cached.

import type { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { nameFault, newNameFault, valueFault } from '../../../src-shared/names.ts'
import type { SecretInfo } from '../../../src-shared/secret.ts'
import type { Keys } from '../keys.ts'
import { KeychainError, type Clock, type Keychain } from '../ports.ts'
import { reportsMistakes } from '../unattended.ts'
import { createChanges, type NewValue } from './changes.ts'
import type { Import, Vault } from './contract.ts'
import { infoOf, isPresent, loadEntries, versionsOf, type Entry } from './entries.ts'
import { ChangedOutside, VaultConflict, VaultError } from './errors.ts'
import { openRecords, type SecretRecord } from './records.ts'
import type { SecretsRoot } from './root.ts'
import { createTurns } from './turns.ts'
import { openUses } from './uses.ts'
import { createValues } from './values.ts'

export { ChangedOutside, VaultConflict, VaultError }
export type { Vault }

export interface VaultParts {
  db: DatabaseSync
  root: SecretsRoot
  keychain: Keychain
  keys: Pick<Keys, 'row' | 'fingerprint'>
  clock: Clock
  faultPoint?: (name: string) => void
  /** A secret was found missing, changed by another program, or well again. */
  onNoticed?: (name: string, state: SecretInfo['state']) => void
  /** Hears of errors that are nobody's fault but ours, in work that nobody waits for. */
  reportBug?: (error: unknown) => void
}

const byName = (a: SecretInfo, b: SecretInfo) => (a.name < b.name ? -1 : 1)

export async function openVault(parts: VaultParts): Promise<Vault> {
  const { db, root, keychain, keys, clock, faultPoint = () => {}, onNoticed = () => {}, reportBug = () => {} } = parts
  const reportMistake = reportsMistakes(reportBug)
  const records = openRecords(db, keys.row)
  const values = createValues(keychain, keys, records)
  const { entries, unfinished } = loadEntries(records, root)
  const changes = createChanges({ root, keychain, records, values, faultPoint, unfinished, reportMistake })
  const uses = openUses(db, records, clock, reportMistake)
  const turns = createTurns()
  let names: readonly string[] | null = null
  let closed = false

  const present = (name: string): Entry | null => {
    const entry = entries.get(name)
    return entry !== undefined && isPresent(entry) ? entry : null
  }
  const existing = (name: string): Entry => {
    const entry = present(name)
    if (entry === null) throw new VaultError(`There is no secret '${name}'.`)
    return entry
  }
  const keep = (entry: Entry): SecretInfo => {
    const { name } = entry.secret
    if ((present(name) !== null) !== isPresent(entry)) names = null
    entries.set(name, entry)
    return infoOf(entry)
  }
  const notice = ({ secret }: Entry, state: SecretInfo['state']): void => {
    if (secret.noticed === state) return
    secret.noticed = state
    onNoticed(secret.name, state)
    try {
      records.noteState(secret.name, state)
    } catch (error) {
      reportMistake(error)
      // A full disk must not stand between a reader and the value; after a restart the same is noticed again.
    }
  }
  const nextVersion = (name: string): number => (entries.get(name)?.secret.counter ?? 0) + 1

  /** How far the versions of a secret that is taken move up, where their numbers were used before. */
  const shiftOf = ({ name, current, history }: Pick<Import, 'name' | 'current' | 'history'>): number =>
    Math.max(0, nextVersion(name) - Math.min(current.version, ...history.map(({ version }) => version)))

  const get = async (name: string): Promise<{ value: string; version: number } | null> => {
    for (;;) {
      const entry = present(name)
      if (entry === null) return null
      const { live } = entry
      if (!entry.trusted || live === null) throw new ChangedOutside(name)
      const looked = await values.look(live)
      // Replaced or removed while we looked: what we saw is no news about the current value.
      if (present(name)?.live?.id !== live.id) continue
      switch (looked.kind) {
        case 'missing':
          notice(entry, 'missing')
          return null
        case 'changed':
          notice(entry, 'changed outside')
          throw new ChangedOutside(name)
        case 'value':
          notice(entry, 'ok')
          return { value: looked.value, version: live.version }
      }
    }
  }

  /** Inside a turn of this name. */
  const write = async (name: string, value: string, by: string, changed: Partial<SecretRecord> = {}): Promise<SecretInfo> => {
    const entry = entries.get(name) ?? null
    const fault = (entry === null ? newNameFault(name) : nameFault(name)) ?? valueFault(value)
    if (fault !== null) throw new VaultError(`This cannot be kept as a secret: it ${fault}.`)
    const version = nextVersion(name)
    const now = clock.now()
    const before = entry !== null && isPresent(entry) ? entry.secret : null
    const secret: SecretRecord = {
      name,
      counter: version,
      created: before?.created ?? now,
      tags: before?.tags ?? [],
      expires: before?.expires ?? null,
      lastUsed: before?.lastUsed ?? null,
      ...changed,
      noticed: 'ok',
    }
    const info = keep(await changes.replace(entry, secret, { version, value, created: now, storedBy: by }))
    if (before !== null && before.noticed !== 'ok') onNoticed(name, 'ok')
    // What is confirmed is what the mark tells of: lost with a damaged journal, it is missed at the next start.
    await root.marked()
    // The old item has no say in the answer any more.
    void changes.sweep()
    return info
  }

  const expectVersion = (name: string, expect: number | null): void => {
    const entry = present(name)
    const current = entry === null ? null : infoOf(entry).version
    if (current !== expect) throw new VaultConflict(name, current)
  }

  const readVersion = async (name: string, version: number): Promise<string> => {
    const entry = existing(name)
    if (entry.live?.version === version) {
      const found = await get(name)
      if (found === null) throw new VaultError(`The value of '${name}' is missing from the keychain.`)
      if (found.version === version) return found.value
    }
    const former = existing(name).formers.find((one) => one.version === version)
    if (former === undefined) throw new VaultError(`There is no version ${version} of '${name}'.`)
    const looked = await values.look(former)
    if (looked.kind !== 'value') throw new VaultError(`Version ${version} of '${name}' was changed by another program and cannot be read.`)
    return looked.value
  }

  for (const entry of entries.values()) if (!entry.trusted) notice(entry, 'changed outside')
  await changes.sweep()

  return {
    list: () => [...entries.values()].filter(isPresent).map(infoOf).toSorted(byName),
    names: () =>
      (names ??= [...entries.values()]
        .filter(isPresent)
        .map(({ secret }) => secret.name)
        .toSorted()),
    info: (name) => {
      const entry = present(name)
      return entry === null ? null : infoOf(entry)
    },
    get,
    store: ({ name, value, by, tags, expires, expect }) =>
      turns.take(name, async () => {
        expectVersion(name, expect)
        return write(name, value, by, { ...(tags && { tags: [...tags] }), ...(expires !== undefined && { expires }) })
      }),
    remove: (name, expect) =>
      turns.take(name, async () => {
        const entry = present(name)
        if (entry === null) return false
        if (expect !== null) expectVersion(name, expect)
        keep(await changes.erase(entry))
        await changes.sweep()
        return true
      }),
    nextVersion,
    versions: (name) => versionsOf(existing(name)),
    readVersion,
    restore: (name, version, by) =>
      turns.take(name, async () => {
        const value = await readVersion(name, version)
        return existing(name).live?.version === version ? infoOf(existing(name)) : write(name, value, by)
      }),
    forget: (name) =>
      turns.take(name, async () => {
        keep(changes.forget(existing(name)))
        await root.marked()
      }),
    describe: (name, tags, expires) =>
      turns.take(name, async () => {
        const entry = existing(name)
        if (!entry.trusted) throw new ChangedOutside(name)
        const secret = { ...entry.secret, tags: [...tags], expires }
        root.change(name, () => records.putSecret(secret))
        const info = keep({ ...entry, secret })
        await root.marked()
        return info
      }),
    touch: (name) => {
      const entry = present(name)
      if (entry !== null) entry.secret.lastUsed = uses.note(name)
    },
    adopt: (name, by) =>
      turns.take(name, async () => {
        const { live, trusted } = existing(name)
        if (!trusted || live === null || live.place === 'sealed') {
          throw new VaultError(`What was changed about '${name}' cannot be adopted. Restore a former version or store a new value.`)
        }
        const value = await keychain.get(values.account(live))
        if (value === null) throw new VaultError(`The value of '${name}' is missing from the keychain.`)
        if (values.fingerprint(name, live.version, value) !== live.fingerprint) return write(name, value, by)
        notice(existing(name), 'ok')
        return infoOf(existing(name))
      }),
    versionTaken: (secret) => secret.current.version + shiftOf(secret),
    take: ({ name, created, tags, expires, current, history }) =>
      turns.take(name, async () => {
        expectVersion(name, null)
        const fault = nameFault(name) ?? [current, ...history].map(({ value }) => valueFault(value)).find((found) => found !== null) ?? null
        if (fault !== null) throw new VaultError(`This cannot be kept as a secret: it ${fault}.`)
        const shift = shiftOf({ name, current, history })
        const moved = (one: NewValue): NewValue => ({ ...one, version: one.version + shift })
        const secret: SecretRecord = { name, counter: current.version + shift, created, tags, expires, lastUsed: null, noticed: 'ok' }
        const info = keep(await changes.replace(entries.get(name) ?? null, secret, moved(current), history.map(moved)))
        await root.marked()
        return info
      }),
    fingerprint: values.fingerprint,
    identify: (value) =>
      [...entries.values()]
        .flatMap(({ live, formers }) => (live === null ? formers : [live, ...formers]))
        .filter(({ name, version, fingerprint }) => values.fingerprint(name, version, value) === fingerprint)
        .map(({ name, version }) => ({ name, version })),
    holds: async (name, version, fingerprint) => {
      // A row becomes live only after its item was read back, so the rows know; nobody has to be asked.
      const entry = entries.get(name)
      if (entry === undefined || version > entry.secret.counter) return 'not applied'
      const found = [entry.live, ...entry.formers].find((one) => one?.version === version)
      if (!found) return 'unknown'
      return fingerprint === null || found.fingerprint === fingerprint ? 'applied' : 'not applied'
    },
    recheck: () => {
      const altered = root.recheck()
      const { entries: found } = altered.length === 0 ? { entries } : loadEntries(records, root)
      for (const name of altered) {
        const entry = found.get(name)
        if (entry === undefined || entry.trusted) continue
        entries.set(name, entry)
        names = null
        notice(entry, 'changed outside')
      }
    },
    isIntact: () => [...entries.values()].every(({ trusted }) => trusted),
    check: async () => {
      try {
        await changes.sweep()
        for (const { name } of [...entries.values()].filter(isPresent).map(infoOf)) {
          if (closed) return
          await get(name).catch((error: unknown) => {
            // Noticed by `get` itself.
            if (!(error instanceof ChangedOutside)) throw error
          })
          await setImmediate()
        }
      } catch (error) {
        if (!(error instanceof KeychainError)) throw error
      }
    },
    close: async () => {
      closed = true
      await turns.idle()
      await changes.sweep()
      uses.close()
    },
  }
}
