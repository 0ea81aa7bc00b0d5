// vault.db and the keys it lives by, opened together: what is missing on one side tells what happened to the other.

import { statSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { FolderGuard } from '../folder-guard.ts'
import { loadKeys, type Keys } from '../keys.ts'
import type { Keychain } from '../ports.ts'
import { hasRoot, openRows, type RootMark, type Rows } from '../rows.ts'
import { asDamage, DamagedStore, openStore } from '../store.ts'
import { openMark, readMark, type Mark } from './mark.ts'
import { openSecretsRoot, type SecretsRoot } from './root.ts'
import { VAULT_MIGRATIONS } from './schema.ts'

export const VAULT_FILE = 'vault.db'

/** What a person chose. Only then may the file be older than the mark, or new beside an old mark. */
export type Decision = 'daily copy' | 'start anew' | 'as it is'

/** Sound in itself, and not known to be the newest state of it: a person may go on with it as it is. */
export class OlderStore extends DamagedStore {
  override name = 'OlderStore'
  /** The secrets it holds, and since when their values are current. */
  readonly held: ReadonlyMap<string, number>
  /** What the log knows of it that is not there any more, in sentences. */
  lost = ''
  constructor(message: string, held: ReadonlyMap<string, number>) {
    super(message)
    this.held = held
  }
}

export interface VaultFile {
  db: DatabaseSync
  keys: Keys
  rows: Rows
  root: SecretsRoot
  /** Nothing was ever decided here: the one time that defaults may be made. */
  firstRun: boolean
  /** Leaves the mark in the keychain and closes the file. */
  close: () => Promise<void>
}

export interface VaultFileParts {
  folder: string
  keychain: Keychain
  guard?: Pick<FolderGuard, 'watch'>
  decided?: Decision | null
}

export async function openVaultFile({ folder, keychain, guard, decided = null }: VaultFileParts): Promise<VaultFile> {
  const file = path.join(folder, VAULT_FILE)
  const mark = await readMark(keychain)
  if (decided === null) await expectNewest(file, mark, keychain)
  else if (decided !== 'start anew' && isAbsent(file)) throw new DamagedStore(`${VAULT_FILE} is gone.`)
  const marks = await openMark(keychain, mark)
  const db = openStore(file, VAULT_MIGRATIONS)
  const unwatch = guard?.watch(file)
  try {
    const firstRun = !hasRoot(db)
    const keys = await loadKeys(keychain, { known: !firstRun })
    const rows = openRows(db, keys.row, { floor: mark?.generation ?? 0, onRoot: marks.write })
    const root = openSecretsRoot(db, keys.row, {
      floor: mark?.secrets?.generation ?? 0,
      onRoot: (secrets) => marks.write({ secrets }),
      marked: marks.settled,
    })
    // From here on an older copy is behind the mark, also the one from before a person's decision.
    if (decided === 'daily copy' || decided === 'as it is') {
      rows.accept()
      root.accept()
    } else {
      if (root.state !== 'ours') root.accept()
      else if (root.mark.mac !== mark?.secrets?.mac) marks.write({ secrets: root.mark })
      if (rows.mark.mac !== '' && rows.mark.mac !== mark?.mac) marks.write(rows.mark)
    }
    return {
      db,
      keys,
      rows,
      root,
      firstRun,
      close: async () => {
        await marks.settled()
        unwatch?.()
        db.close()
      },
    }
  } catch (error) {
    unwatch?.()
    db.close()
    throw error
  }
}

/** Reads only, so that everything is still as it was found when a person decides: a start that writes moves a journal's content. */
async function expectNewest(file: string, mark: Mark | null, keychain: Keychain): Promise<void> {
  if (isAbsent(file)) {
    if (hasCome(mark) || hasCome(mark?.secrets)) throw new DamagedStore(`${VAULT_FILE} is gone.`)
    return
  }
  const db = openToRead(file)
  try {
    const { user_version: format } = db.prepare('PRAGMA user_version').get() ?? {}
    // Not for this program to judge: opening it says so.
    if (Number(format) > VAULT_MIGRATIONS.length) return
    if (!OWN_TABLES.every((name) => tablesOf(db).includes(name))) {
      if (hasCome(mark) || hasCome(mark?.secrets)) throw new DamagedStore(`${VAULT_FILE} was emptied or replaced.`)
      return
    }
    const noRows = !hasRoot(db)
    const noSecrets = db.prepare('SELECT 1 FROM secrets UNION SELECT 1 FROM versions').get() === undefined
    if (noRows && hasCome(mark)) throw new DamagedStore(`${VAULT_FILE} was emptied or replaced.`)
    if (noRows && noSecrets && mark === null) return
    const keys = await loadKeys(keychain, { known: !noRows || !noSecrets })
    expectAtOrAfter(db, keys.row, mark)
  } catch (error) {
    throw asDamage(error, VAULT_FILE)
  } finally {
    db.close()
  }
}

function expectAtOrAfter(db: DatabaseSync, rowKey: Buffer, mark: Mark | null): void {
  const isOlder = (now: RootMark, then: RootMark): boolean =>
    now.generation < then.generation || (now.generation === then.generation && now.mac !== then.mac)
  const older = (why: string) => new OlderStore(why, heldIn(db))

  if (mark === null) {
    throw older(`The mark of ${VAULT_FILE} is missing from the keychain, so nobody can tell whether it is an older copy of itself.`)
  }
  const rows = openRows(db, rowKey)
  if (rows.mark.mac === '' && hasRoot(db)) throw new DamagedStore(`${VAULT_FILE} was changed by another program: its root is not ours.`)
  if (isOlder(rows.mark, mark)) throw older(`${VAULT_FILE} is an older copy of itself.`)
  const root = tablesOf(db).includes('secrets_root') ? openSecretsRoot(db, rowKey) : null
  if (root?.state === 'not ours') throw new DamagedStore(`${VAULT_FILE} was changed by another program: its root is not ours.`)
  if (mark.secrets && isOlder(root?.mark ?? { generation: 0, mac: '' }, mark.secrets))
    throw older(`${VAULT_FILE} is an older copy of itself.`)
}

function openToRead(file: string): DatabaseSync {
  try {
    return new DatabaseSync(file, { readOnly: true, timeout: 1000 })
  } catch (error) {
    throw asDamage(error, VAULT_FILE)
  }
}

const hasCome = (mark: RootMark | null | undefined): boolean => (mark?.generation ?? 0) > 0

const OWN_TABLES = ['rows', 'root', 'secrets', 'versions']

const tablesOf = (db: DatabaseSync): string[] =>
  db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .map(({ name }) => String(name))

/** What a person may be told about: names and times, whoever wrote them. */
function heldIn(db: DatabaseSync): Map<string, number> {
  const sql =
    "SELECT secrets.name, versions.created FROM secrets JOIN versions USING (name) WHERE state = 'live' AND secrets.created IS NOT NULL"
  const held = db.prepare(sql).all()
  return new Map(held.map(({ name, created }) => [String(name), Number(created)]))
}

function isAbsent(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false })
  return found === undefined || found.size === 0
}
