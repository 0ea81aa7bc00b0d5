// Where values are: a keychain item of its own for each current value that fits, a sealed box in vault.db for the rest.

import { createHmac, randomBytes } from 'node:crypto'
import { open, seal, SealError } from '../sealing.ts'
import { subkey, type Keys } from '../keys.ts'
import type { Keychain } from '../ports.ts'
import type { Records, VersionRecord } from './records.ts'

/** Windows allows 2,560 bytes an item. */
const MAX_ITEM_BYTES = 2048
/** Bound into every box, with its name and version. */
const FORMAT = 'countersign value 1'

export type Looked = { kind: 'value'; value: string } | { kind: 'missing' } | { kind: 'changed' }

export interface Values {
  fingerprint: (name: string, version: number, value: string) => string
  placeFor: (value: string) => VersionRecord['place']
  account: (record: VersionRecord) => string
  newId: () => string
  seal: (name: string, version: number, value: string) => Buffer
  /** What is really there, compared with what should be. */
  look: (record: VersionRecord) => Promise<Looked>
}

export function createValues(keychain: Keychain, keys: Pick<Keys, 'row' | 'fingerprint'>, records: Records): Values {
  const sealingKey = subkey(keys.row, 'values v1')
  const fingerprint = (name: string, version: number, value: string) =>
    createHmac('sha256', keys.fingerprint).update(`${name}\0${version}\0`).update(value).digest('hex').slice(0, 16)

  const unseal = (record: VersionRecord): string | null => {
    const box = records.box(record.id)
    if (box === null) return null
    try {
      return open(sealingKey, [FORMAT, record.name, String(record.version)], box).toString('utf8')
    } catch (error) {
      // Edited or swapped: there is no value of ours in it.
      if (error instanceof SealError) return null
      throw error
    }
  }

  // A number comes twice where a person went on with an older vault, so a box may be one of ours and not this one.
  const compared = (record: VersionRecord, value: string): Looked =>
    fingerprint(record.name, record.version, value) === record.fingerprint ? { kind: 'value', value } : { kind: 'changed' }

  return {
    fingerprint,
    placeFor: (value) => (Buffer.byteLength(value) <= MAX_ITEM_BYTES ? 'item' : 'sealed'),
    account: ({ name, id }) => `${name}#${id}`,
    newId: () => randomBytes(8).toString('hex'),
    seal: (name, version, value) => seal(sealingKey, [FORMAT, name, String(version)], Buffer.from(value, 'utf8')),
    look: async (record) => {
      if (record.place === 'sealed') {
        const value = unseal(record)
        return value === null ? { kind: 'changed' } : compared(record, value)
      }
      const value = await keychain.get(`${record.name}#${record.id}`)
      return value === null ? { kind: 'missing' } : compared(record, value)
    },
  }
}
