import type { KeyObject } from 'node:crypto'
import { chmodSync, closeSync, existsSync, fchmodSync, lstatSync, openSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { AuditBreak, LedgerEntry } from '../../../src-shared/audit.ts'
import { canonical } from '../../../src-shared/canonical.ts'
import type { Anchor } from './chain.ts'
import { AuditError, isDamage } from './errors.ts'
import { examine, type Finding } from './examining.ts'
import { Ledger, type Stamped } from './ledger.ts'
import { createTables, FILE, makeDurable, openForWriting, tablesOf } from './schema.ts'
import { makeRoomInWal } from './wal-room.ts'

/** The database itself and what SQLite may keep beside it. */
const BESIDE = ['', '-wal', '-shm', '-journal']

export interface OpenOptions {
  folder: string
  key: KeyObject
  keyIsNew: boolean
  /** What the log must contain: the anchor from the keychain, or the last row this process committed. */
  anchor: Anchor | null
  /** The keychain holds an anchor that is not one of ours. */
  anchorUnreadable: boolean
  /** Read every page first: the database was seen to be damaged. */
  thorough: boolean
  stamp: (entry: Pick<LedgerEntry, 'event' | 'detail'>) => Stamped
}

export interface Opened {
  ledger: Ledger
  /** Intents that the former process left without outcome. */
  openIntents: LedgerEntry[]
  broke: boolean
  /** Pruning was decided up to here; if the former process was cut short, some of it is still to be removed. */
  released: number
}

/**
 * Opens the log and believes nothing: it must contain what was anchored, made with our key. Otherwise the file is moved aside
 * and a new one begins with a row that says so. Throws when the disk or its permissions are the trouble: then nothing is moved.
 */
export function openLedger(options: OpenOptions): Opened {
  const path = join(options.folder, FILE)
  if (!existsSync(options.folder)) throw new AuditError('the audit folder is missing')
  const state = lstatSync(path, { throwIfNoEntry: false })
  if (state === undefined) {
    return options.anchor || options.anchorUnreadable ? begin(path, options, { found: 'missing', head: null }) : begin(path, options, null)
  }
  if (!state.isFile()) return begin(path, options, { found: 'foreign', head: null })
  if ((state.mode & 0o077) !== 0) chmodSync(path, 0o600)
  return openExisting(path, options)
}

function openExisting(path: string, options: OpenOptions): Opened {
  let db: DatabaseSync | null = null
  let finding: Finding
  try {
    db = openForWriting(path)
    finding = examine(db, options)
    if (finding.is === 'sound') {
      makeDurable(db)
      makeRoomInWal(path)
      const { head, open } = finding
      const ledger = new Ledger({ db, path, key: options.key, head, start: 1, open })
      return { ledger, openIntents: finding.openIntents, broke: false, released: finding.released }
    }
  } catch (error) {
    db?.close()
    if (!isDamage(error)) throw error
    return begin(path, options, { found: 'corrupt', head: null })
  }
  db.close()
  return begin(path, options, finding.is === 'broken' ? finding : null)
}

/** A new file, and in it a first row that names what was found in place of the old one. */
function begin(path: string, options: OpenOptions, broken: { found: AuditBreak['found']; head: number | null } | null): Opened {
  const segment = options.stamp({ event: 'audit.segment', detail: {} })
  const aside = broken ? moveAside(path, segment.wall) : null
  if (!existsSync(path)) {
    // Without a database these belong to nothing, and a stray -wal would be replayed into the new file.
    moveAside(path, segment.wall)
    createFile(path)
  }
  const db = openForWriting(path)
  try {
    if (tablesOf(db) === 'none') createTables(db)
    makeDurable(db)
    makeRoomInWal(path)
    const after = Math.max(options.anchor?.seq ?? 0, broken?.head ?? 0)
    const ledger = new Ledger({ db, path, key: options.key, head: null, start: after + 1, open: new Map() })
    if (broken) {
      const anchor = options.anchor && { seq: options.anchor.seq, mac: options.anchor.mac }
      // Of a log that is not ours, its end says nothing.
      const last = broken.found === 'behind' ? broken.head : null
      ledger.commit([{ ...segment, detail: canonical({ found: broken.found, aside, after, anchor, last }) }])
    }
    return { ledger, openIntents: [], broke: broken !== null, released: 0 }
  } catch (error) {
    db.close()
    throw error
  }
}

function createFile(path: string): void {
  const file = openSync(path, 'wx', 0o600)
  // The umask may have taken something from the mode. SQLite gives -wal and -shm the mode of the file they belong to.
  fchmodSync(file, 0o600)
  closeSync(file)
}

/** Renames the database and whatever lies beside it; nothing is ever deleted. Returns the database's new name. */
function moveAside(path: string, wall: number): string | null {
  const target = freeName(path, wall)
  const moved = BESIDE.filter((suffix) => lstatSync(path + suffix, { throwIfNoEntry: false }))
  for (const suffix of moved) renameSync(path + suffix, join(path, '..', target + suffix))
  return moved.includes('') ? target : null
}

function freeName(path: string, wall: number): string {
  const time = new Date(wall).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  for (let n = 1; ; n++) {
    const name = `audit-broken-${time}${n === 1 ? '' : `-${n}`}.db`
    const taken = BESIDE.some((suffix) => lstatSync(join(path, '..', name + suffix), { throwIfNoEntry: false }))
    if (!taken) return name
  }
}
