// Where there is no OS keychain: sealed.db, one sealed row per item. The passphrase opens a random master key, and that key the
// rows; it is held in memory while the vault is open. Who takes the file learns the names of items and the class of their sizes.

import { randomBytes } from 'node:crypto'
import { existsSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { diskTrouble } from '../host/disk-trouble.ts'
import { messageOf } from '../host/errors.ts'
import { syncFolder } from '../host/files.ts'
import { KeychainError, type Keychain } from '../host/ports.ts'
import { deriveKey, newKdfParams, open, seal, SealError, type KdfParams } from '../host/sealing.ts'
import { DamagedStore, NewerStore, openStore } from '../host/store.ts'

const FILE = 'sealed.db'
const MASTER = 'countersign sealed vault master v1'
const ITEM = 'countersign sealed vault item v1'

const MIGRATIONS = [
  `CREATE TABLE header (id INTEGER PRIMARY KEY CHECK (id = 1), kdf TEXT NOT NULL, master BLOB NOT NULL) STRICT;
   CREATE TABLE items (account TEXT PRIMARY KEY, box BLOB NOT NULL) STRICT, WITHOUT ROWID;`,
]

export function sealedVaultExists(folder: string): boolean {
  return existsSync(path.join(folder, FILE))
}

export async function createSealedVault(folder: string, passphrase: string): Promise<Keychain> {
  const file = path.join(folder, FILE)
  const kdf = newKdfParams()
  const wrapping = await deriveKey(passphrase, kdf)
  if (sealedVaultExists(folder)) throw new KeychainError('unavailable', 'there is a sealed vault already')
  const master = randomBytes(32)
  try {
    writeVault(file, kdf, seal(wrapping, [MASTER, JSON.stringify(kdf)], master))
    return serve(openFile(file), master)
  } catch (error) {
    throw asKeychainError(error)
  } finally {
    wrapping.fill(0)
  }
}

/** It gets its name only when it is whole: a vault that exists can be unlocked. */
function writeVault(file: string, kdf: KdfParams, master: Buffer): void {
  const draft = `${file}.new`
  for (const leftover of [draft, `${draft}-wal`, `${draft}-shm`]) rmSync(leftover, { force: true })
  const db = openStore(draft, MIGRATIONS)
  try {
    db.prepare('INSERT INTO header (id, kdf, master) VALUES (1, ?, ?)').run(JSON.stringify(kdf), master)
  } finally {
    db.close()
  }
  renameSync(draft, file)
  syncFolder(path.dirname(file))
}

/** A wrong passphrase and a master key that was tampered with look alike, on purpose. */
export async function unlockSealedVault(folder: string, passphrase: string): Promise<Keychain> {
  if (!sealedVaultExists(folder)) throw new KeychainError('unavailable', 'there is no sealed vault')
  let db: DatabaseSync | null = null
  try {
    db = openFile(path.join(folder, FILE))
    return serve(db, await openMaster(db, passphrase))
  } catch (error) {
    db?.close()
    throw error instanceof SealError ? new KeychainError('locked', 'wrong passphrase') : asKeychainError(error)
  }
}

async function openMaster(db: DatabaseSync, passphrase: string): Promise<Buffer> {
  const header = db.prepare('SELECT kdf, master FROM header').get()
  if (header === undefined) throw damaged()
  const kdf = String(header['kdf'])
  const wrapping = await deriveKey(passphrase, readKdf(kdf))
  try {
    return open(wrapping, [MASTER, kdf], asBytes(header['master']))
  } finally {
    wrapping.fill(0)
  }
}

function serve(db: DatabaseSync, master: Buffer): Keychain {
  const select = db.prepare('SELECT box FROM items WHERE account = ?')
  const upsert = db.prepare('INSERT INTO items (account, box) VALUES (?, ?) ON CONFLICT (account) DO UPDATE SET box = excluded.box')
  const remove = db.prepare('DELETE FROM items WHERE account = ?')

  const attempt = async <T>(work: () => T): Promise<T> => {
    if (!db.isOpen) throw new KeychainError('unavailable', 'it has been closed')
    try {
      return work()
    } catch (error) {
      throw error instanceof SealError
        ? new KeychainError('unavailable', 'an item of the sealed vault was changed or damaged')
        : asKeychainError(error)
    }
  }

  return {
    kind: 'sealed',
    get: (account) =>
      attempt(() => {
        const row = select.get(account)
        if (row === undefined) return null
        const content = open(master, [ITEM, account], asBytes(row['box']))
        const value = content.toString('utf8')
        content.fill(0)
        return value
      }),
    set: (account, value) =>
      attempt(() => {
        const content = Buffer.from(value, 'utf8')
        upsert.run(account, seal(master, [ITEM, account], content))
        content.fill(0)
      }),
    delete: (account) => attempt(() => remove.run(account).changes > 0),
    close: async () => {
      master.fill(0)
      if (db.isOpen) db.close()
    },
  }
}

function openFile(file: string): DatabaseSync {
  const db = openStore(file, MIGRATIONS)
  // What was deleted or replaced does not stay behind, not even sealed.
  db.exec('PRAGMA secure_delete = ON')
  return db
}

/** SQLite's reasons (disk full, read-only) are what a person needs to know; values are no part of them. */
function asKeychainError(error: unknown): KeychainError {
  if (error instanceof KeychainError) return error
  if (error instanceof DamagedStore) return damaged()
  if (error instanceof NewerStore) return new KeychainError('unavailable', 'the sealed vault was written by a newer Countersign')
  return new KeychainError('unavailable', `the sealed vault cannot be used: ${diskTrouble(error) ?? messageOf(error)}`, { cause: error })
}

function readKdf(text: string): KdfParams {
  let read: Partial<Record<keyof KdfParams, unknown>>
  try {
    read = JSON.parse(text)
  } catch {
    throw damaged()
  }
  const { kdf, N, r, p, salt } = read
  if (kdf !== 'scrypt' || typeof N !== 'number' || typeof r !== 'number' || typeof p !== 'number' || typeof salt !== 'string')
    throw damaged()
  return { kdf, N, r, p, salt }
}

function asBytes(column: unknown): Uint8Array {
  if (column instanceof Uint8Array) return column
  throw new SealError()
}

function damaged(): KeychainError {
  return new KeychainError('unavailable', 'the sealed vault is damaged')
}
