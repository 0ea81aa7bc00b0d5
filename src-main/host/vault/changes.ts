// Changing a value so that a crash at any point leaves either the old one or the new one, and nothing besides:
// a pending row → the item → one transaction (pending becomes live, the old one doomed) → the old item and its row go.
// Whatever was cut short is swept later; a keychain that is away only puts the sweeping off.

import { KeychainError, type Keychain } from '../ports.ts'
import type { Entry } from './entries.ts'
import { VaultError } from './errors.ts'
import type { Records, SecretRecord, VersionRecord } from './records.ts'
import type { SecretsRoot } from './root.ts'
import type { Values } from './values.ts'

export interface NewValue {
  version: number
  value: string
  created: number
  storedBy: string
}

export interface Changes {
  /** Makes `next` the current value of `secret`; the value before becomes a former version. `history` comes with an import. */
  replace: (entry: Entry | null, secret: SecretRecord, next: NewValue, history?: readonly NewValue[]) => Promise<Entry>
  /** The value, its history and everything but the counter. */
  erase: (entry: Entry) => Promise<Entry>
  forget: (entry: Entry) => Entry
  /** Never rejects: what cannot be swept now is swept at the next change or start. */
  sweep: () => Promise<void>
}

export interface ChangeParts {
  root: SecretsRoot
  keychain: Keychain
  records: Records
  values: Values
  faultPoint: (name: string) => void
  unfinished: readonly VersionRecord[]
  reportMistake: (error: unknown) => void
}

export function createChanges({ root, keychain, records, values, faultPoint, unfinished, reportMistake }: ChangeParts): Changes {
  const toSweep = new Map(unfinished.map((record) => [record.id, record]))
  let lastSweep: Promise<void> = Promise.resolve()

  const sweepAll = async (): Promise<void> => {
    // What took its place could be lost with a damaged journal, and nobody would notice, until the mark tells of it.
    if (toSweep.size === 0 || !(await root.marked())) return
    try {
      for (const record of toSweep.values()) {
        if (record.place === 'item') await keychain.delete(values.account(record))
        records.dropVersion(record.id)
        toSweep.delete(record.id)
      }
    } catch (error) {
      reportMistake(error)
      // The keychain is away or the disk full. The row stays, and with it the memory of what is to be swept next time.
    }
  }
  /** One after the other: whoever comes while a sweep is under way may bring something that it has already passed. */
  const sweep = (): Promise<void> => (lastSweep = lastSweep.then(sweepAll))

  const recordOf = (name: string, { version, value, created, storedBy }: NewValue, place: VersionRecord['place']): VersionRecord => ({
    id: values.newId(),
    name,
    version,
    state: 'live',
    place,
    fingerprint: values.fingerprint(name, version, value),
    created,
    storedBy,
  })

  const setItem = async (record: VersionRecord, value: string): Promise<void> => {
    faultPoint('vault.pending')
    await keychain.set(values.account(record), value)
    // A keychain that says yes and keeps something else has been seen.
    if ((await keychain.get(values.account(record))) !== value) {
      throw new VaultError(`The keychain did not keep the value of '${record.name}'; nothing was changed.`)
    }
    faultPoint('vault.item')
  }

  /** The current value as a sealed former version; null when it cannot be had or needs no moving. */
  const formerOf = async ({ live }: Entry): Promise<{ record: VersionRecord; box: Buffer } | null> => {
    if (live === null || live.place === 'sealed') return null
    const looked = await values.look(live)
    if (looked.kind !== 'value') return null
    const record: VersionRecord = { ...live, id: values.newId(), state: 'former', place: 'sealed' }
    return { record, box: values.seal(live.name, live.version, looked.value) }
  }

  return {
    sweep,

    replace: async (entry, secret, next, history = []) => {
      const former = entry === null ? null : await formerOf(entry)
      const live = recordOf(secret.name, next, values.placeFor(next.value))
      const older = history.map((one) => ({
        record: { ...recordOf(secret.name, one, 'sealed'), state: 'former' as const },
        box: values.seal(secret.name, one.version, one.value),
      }))
      const formers = [...(entry?.formers ?? []), ...older.map(({ record }) => record)]
      const old = entry?.live ?? null

      const commit = () => {
        for (const id of entry?.strays ?? []) records.dropVersion(id)
        if (old?.place === 'item') records.moveVersion({ ...old, state: 'doomed' })
        if (old?.place === 'sealed') records.moveVersion({ ...old, state: 'former' })
        for (const { record, box } of former === null ? older : [former, ...older]) records.putVersion(record, box)
        if (live.place === 'item') records.moveVersion(live)
        else records.putVersion(live, values.seal(live.name, live.version, next.value))
        records.putSecret(secret)
      }
      if (live.place === 'item') {
        records.putVersion({ ...live, state: 'pending' })
        try {
          await setItem(live, next.value)
          root.change(secret.name, commit)
        } catch (error) {
          toSweep.set(live.id, live)
          const swept = sweep()
          // A keychain that hangs would hang again, and the caller would wait twice as long to be told.
          if (!(error instanceof KeychainError)) await swept
          throw error
        }
      } else root.change(secret.name, commit)
      faultPoint('vault.live')

      if (old?.place === 'item') toSweep.set(old.id, old)
      if (old?.place === 'sealed') formers.push({ ...old, state: 'former' })
      if (former !== null) formers.push(former.record)
      return { secret, live, formers: formers.toSorted((a, b) => b.version - a.version), trusted: true, strays: [] }
    },

    erase: async (entry) => {
      const { live, formers, strays, secret } = entry
      // Asks the keychain first: one that is away should say so before anything is gone.
      if (live?.place === 'item') await keychain.get(values.account(live))
      const gone: SecretRecord = { ...secret, created: null, tags: [], expires: null, lastUsed: null, noticed: 'ok' }
      root.change(secret.name, () => {
        if (live?.place === 'item') records.moveVersion({ ...live, state: 'doomed' })
        if (live?.place === 'sealed') records.dropVersion(live.id)
        for (const { id } of formers) records.dropVersion(id)
        for (const id of strays) records.dropVersion(id)
        records.putSecret(gone)
      })
      faultPoint('vault.live')
      if (live?.place === 'item') toSweep.set(live.id, live)
      return { secret: gone, live: null, formers: [], trusted: true, strays: [] }
    },

    forget: (entry) => {
      root.change(entry.secret.name, () => {
        for (const { id } of entry.formers) records.dropVersion(id)
      })
      return { ...entry, formers: [] }
    },
  }
}
