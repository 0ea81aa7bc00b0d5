// What vault.db keeps about secrets. Two tables: `secrets`, one row per name ever used, and `versions`, one row per value that
// exists somewhere. Everything that says which value is current carries a MAC; a row whose MAC is wrong is not ours.

import { timingSafeEqual } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { SecretInfo } from '../../../src-shared/secret.ts'
import { macOf, subkey } from '../keys.ts'

/** pending: on its way in. live: the current value. former: history. doomed: on its way out. */
export type VersionState = 'pending' | 'live' | 'former' | 'doomed'

export interface VersionRecord {
  /** Names the keychain item together with `name`; never used twice. */
  id: string
  name: string
  version: number
  state: VersionState
  /** A keychain item, or a sealed box in this row. */
  place: 'item' | 'sealed'
  fingerprint: string
  created: number
  storedBy: string
}

export interface SecretRecord {
  name: string
  /** Highest version this name ever had; kept when the secret is removed, so that no number comes twice. */
  counter: number
  /** null: removed. */
  created: number | null
  tags: string[]
  expires: number | null
  lastUsed: number | null
  noticed: SecretInfo['state']
}

export interface Records {
  secrets: () => { record: SecretRecord; genuine: boolean }[]
  versions: () => { record: VersionRecord; genuine: boolean }[]
  box: (id: string) => Buffer | null
  putSecret: (record: SecretRecord) => void
  putVersion: (record: VersionRecord, box?: Buffer) => void
  /** The box, if any, stays as it is. */
  moveVersion: (record: VersionRecord) => void
  dropVersion: (id: string) => void
  noteUse: (name: string, lastUsed: number) => void
  noteState: (name: string, noticed: SecretInfo['state']) => void
}

export function openRecords(db: DatabaseSync, rowKey: Buffer): Records {
  const key = subkey(rowKey, 'secrets v1')
  const secretMac = (r: SecretRecord) => macOf(key, ['secret', r.name, r.counter, r.created, JSON.stringify(r.tags), r.expires])
  const versionMac = (r: VersionRecord) =>
    macOf(key, ['version', r.id, r.name, r.version, r.state, r.place, r.fingerprint, r.created, r.storedBy])

  const putSecret = db.prepare('INSERT OR REPLACE INTO secrets VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  const putVersion = db.prepare('INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const moveVersion = db.prepare('UPDATE versions SET state = ?, mac = ? WHERE id = ?')
  const dropVersion = db.prepare('DELETE FROM versions WHERE id = ?')
  const box = db.prepare('SELECT box FROM versions WHERE id = ?')
  const noteUse = db.prepare('UPDATE secrets SET last_used = ? WHERE name = ?')
  const noteState = db.prepare('UPDATE secrets SET noticed = ? WHERE name = ?')

  return {
    secrets: () =>
      db
        .prepare('SELECT * FROM secrets ORDER BY name')
        .all()
        .map((row) => {
          const record: SecretRecord = {
            name: String(row['name']),
            counter: Number(row['counter']),
            created: numberOrNull(row['created']),
            tags: tagsIn(String(row['tags'])),
            expires: numberOrNull(row['expires']),
            lastUsed: numberOrNull(row['last_used']),
            noticed: noticedIn(row['noticed']),
          }
          return { record, genuine: matches(row['mac'], secretMac(record)) }
        }),
    versions: () =>
      db
        .prepare('SELECT id, name, version, state, place, fingerprint, created, stored_by, mac FROM versions ORDER BY name, version')
        .all()
        .map((row) => {
          const record: VersionRecord = {
            id: String(row['id']),
            name: String(row['name']),
            version: Number(row['version']),
            // The table's own CHECKs hold these two to their words.
            state: String(row['state']) as VersionState,
            place: String(row['place']) as VersionRecord['place'],
            fingerprint: String(row['fingerprint']),
            created: Number(row['created']),
            storedBy: String(row['stored_by']),
          }
          return { record, genuine: matches(row['mac'], versionMac(record)) }
        }),
    box: (id) => {
      const found = box.get(id)?.['box']
      return found instanceof Uint8Array ? Buffer.from(found) : null
    },
    putSecret: (r) => {
      putSecret.run(r.name, r.counter, r.created, JSON.stringify(r.tags), r.expires, secretMac(r).toString('hex'), r.lastUsed, r.noticed)
    },
    putVersion: (r, sealed) => {
      const mac = versionMac(r).toString('hex')
      putVersion.run(r.id, r.name, r.version, r.state, r.place, r.fingerprint, r.created, r.storedBy, mac, sealed ?? null)
    },
    moveVersion: (r) => {
      moveVersion.run(r.state, versionMac(r).toString('hex'), r.id)
    },
    dropVersion: (id) => {
      dropVersion.run(id)
    },
    noteUse: (name, lastUsed) => {
      noteUse.run(lastUsed, name)
    },
    noteState: (name, noticed) => {
      noteState.run(noticed, name)
    },
  }
}

function numberOrNull(found: unknown): number | null {
  return found === null ? null : Number(found)
}

/** Tags that do not parse were edited by somebody else; the MAC says so in any case. */
function tagsIn(text: string): string[] {
  try {
    const tags: unknown = JSON.parse(text)
    return Array.isArray(tags) ? tags.map(String) : []
  } catch {
    return []
  }
}

function noticedIn(found: unknown): SecretInfo['state'] {
  return found === 'missing' || found === 'changed outside' ? found : 'ok'
}

function matches(found: unknown, mac: Buffer): boolean {
  const other = Buffer.from(String(found), 'hex')
  return other.length === mac.length && timingSafeEqual(other, mac)
}
