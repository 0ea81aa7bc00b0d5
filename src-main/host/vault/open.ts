// vault.db and the keys it lives by, opened together: what is missing on one side tells what happened to the other.

import { statSync } from 'node:fs'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import type { FolderGuard } from '../folder-guard.ts'
import { loadKeys, type Keys } from '../keys.ts'
import type { Keychain } from '../ports.ts'
import { hasRoot, openRows, type RootMark, type Rows } from '../rows.ts'
import { DamagedStore, openStore } from '../store.ts'
import { VAULT_MIGRATIONS } from './schema.ts'

export const VAULT_FILE = 'vault.db'
/** Keychain account of the mark that says how far the rows had come. */
const MARK_ACCOUNT = 'rows-head'

export interface VaultFile {
  db: DatabaseSync
  keys: Keys
  rows: Rows
  /** Nothing was ever decided here: the one time that defaults may be made. */
  firstRun: boolean
  /** Leaves the mark in the keychain and closes the file. */
  close: () => Promise<void>
}

export interface VaultFileParts {
  folder: string
  keychain: Keychain
  guard?: Pick<FolderGuard, 'watch'>
  /** What a person chose after damage. Only then may the file be older than the mark, or new beside an old mark. */
  decided?: 'daily copy' | 'start anew' | null
}

export async function openVaultFile({ folder, keychain, guard, decided = null }: VaultFileParts): Promise<VaultFile> {
  const file = path.join(folder, VAULT_FILE)
  const mark = readMark(await keychain.get(MARK_ACCOUNT))
  if (mark !== null && decided !== 'start anew' && isAbsent(file)) throw new DamagedStore(`${VAULT_FILE} is gone.`)
  const db = openStore(file, VAULT_MIGRATIONS)
  const unwatch = guard?.watch(file)
  try {
    const firstRun = !hasRoot(db)
    const keys = await loadKeys(keychain, { known: !firstRun })
    const marks = markWriter(keychain)
    const rows = openRows(db, keys.row, { floor: mark?.generation ?? 0, onRoot: marks.write })
    if (mark !== null && decided === null) expectAtOrAfter(mark, rows, firstRun)
    // From here on an older copy is behind the mark, also the one from before a person's decision.
    if (decided === 'daily copy') rows.accept()
    else if (rows.mark.mac !== '' && rows.mark.mac !== mark?.mac) marks.write(rows.mark)
    return {
      db,
      keys,
      rows,
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

function expectAtOrAfter(mark: RootMark, rows: Rows, noRoot: boolean): void {
  if (noRoot) throw new DamagedStore(`${VAULT_FILE} was emptied or replaced.`)
  const { generation, mac } = rows.mark
  if (mac === '') throw new DamagedStore(`${VAULT_FILE} was changed by another program: its root is not ours.`)
  if (generation < mark.generation || (generation === mark.generation && mac !== mark.mac)) {
    throw new DamagedStore(`${VAULT_FILE} is an older copy of itself.`)
  }
}

function isAbsent(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false })
  return found === undefined || found.size === 0
}

const markSchema = z.object({ generation: z.number().int(), mac: z.string() })

/** A mark that does not parse was edited by hand; like a missing one it proves nothing. */
function readMark(text: string | null): RootMark | null {
  if (text === null) return null
  try {
    return markSchema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

/** One write at a time, the latest wins. A keychain that is away costs only the newest mark: the one before still holds. */
function markWriter(keychain: Keychain) {
  let next: RootMark | null = null
  let running: Promise<void> | null = null
  const run = async (): Promise<void> => {
    while (next !== null) {
      const mark = next
      next = null
      await keychain.set(MARK_ACCOUNT, JSON.stringify(mark)).catch(() => {})
    }
    running = null
  }
  return {
    write: (mark: RootMark): void => {
      next = mark
      running ??= run()
    },
    settled: async (): Promise<void> => {
      await running
    },
  }
}
