import type { KeyObject } from 'node:crypto'
import type { AuditBreak, Entry, LedgerEntry } from '../../../src-shared/audit.ts'
import { canonical } from '../../../src-shared/canonical.ts'
import type { Clock } from '../ports.ts'
import type { Anchor } from './chain.ts'
import { auditError, AuditError, isDamage, leavesConnectionSound } from './errors.ts'
import { Displaced, type Ledger, type Stamped } from './ledger.ts'
import { openLedger } from './opening.ts'
import { breaksOf } from './stored.ts'

export interface WriterOptions {
  folder: string
  key: KeyObject
  keyIsNew: boolean
  anchor: Anchor | null
  anchorUnreadable: boolean
  clock: Clock
  boot: string
  folderTrouble: () => string | null
  faultPoint: (name: string) => void
  /** After each commit, with the last seq of it. */
  committed: (seq: number) => void
  /** The file was let go of, so nobody else should hold on to it. */
  dropped: () => void
  opened: (state: { broke: boolean; released: number }) => void
}

interface Pending {
  entry: Stamped
  resolve: (seq: number) => void
  reject: (error: AuditError) => void
}

/** So that a flood of entries blocks the host for a few milliseconds at a time and no longer. */
const MAX_BATCH = 256
/** After a commit that several shared, this many turns of the event loop are granted to those who may share the next one. */
const PATIENCE = 8
/** Callers bound what they hand in; this keeps a mistake of theirs from filling the disk. */
const MAX_TEXT = 65_536

/**
 * Appends wait for each other: all that were handed in during one turn of the event loop share a commit and its fsync, and while
 * there are many, those of the next turns too, for as long as each brings more. The database is opened anew whenever it was lost, so that recording goes on by itself once the disk lets it.
 */
export class Writer {
  readonly #options: WriterOptions
  #ledger: Ledger | null = null
  /** The last row known to be on disk, also while the database cannot be opened. */
  #known: Anchor | null
  #keyIsNew: boolean
  #damaged = false
  #queue: Pending[] = []
  #scheduled = false
  #shared = false
  #finished = false
  #openIntents: LedgerEntry[] | null = null
  breaks: AuditBreak[] = []

  constructor(options: WriterOptions) {
    this.#options = options
    this.#known = options.anchor
    this.#keyIsNew = options.keyIsNew
  }

  get openIntents(): LedgerEntry[] {
    return this.#openIntents ?? []
  }

  get known(): Anchor | null {
    return this.#known
  }

  append(entry: Entry): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    try {
      if (this.#finished) throw new AuditError('the audit log is closed')
      this.#queue.push({ entry: this.#stamp(entry), resolve, reject })
      this.#schedule()
    } catch (error) {
      reject(auditError(error))
    }
    return promise
  }

  /** The open database; throws an AuditError while there is none to be had. */
  ledger(): Ledger {
    if (this.#finished) throw new AuditError('the audit log is closed')
    // Before anything else: a log that is let go of would be made anew in a folder that is not ours.
    const trouble = this.#options.folderTrouble()
    if (trouble !== null) throw new AuditError(trouble)
    try {
      if (this.#ledger && !this.#ledger.isInPlace()) this.#drop()
      return this.#ledger ?? this.#open()
    } catch (error) {
      throw auditError(error)
    }
  }

  /** Writes what is waiting and takes nothing more. */
  finish(): void {
    while (this.#queue.length > 0) this.#flush()
    this.#finished = true
  }

  close(): void {
    this.finish()
    this.#ledger?.close()
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => this.#gather(0, this.#shared ? PATIENCE : 0))
  }

  /** `before` were waiting a turn ago. A turn in which nobody came is the end of it, so a lone caller waits for nobody. */
  #gather(before: number, turns: number): void {
    const { length } = this.#queue
    if (turns > 0 && length > before && length < MAX_BATCH) {
      setImmediate(() => this.#gather(length, turns - 1))
      return
    }
    this.#scheduled = false
    this.#flush()
  }

  #flush(): void {
    const batch = this.#queue.splice(0, MAX_BATCH)
    if (batch.length === 0) return
    this.#shared = batch.length > 1
    if (this.#queue.length > 0) this.#schedule()
    let written: number[]
    try {
      written = this.#commit(batch.map(({ entry }) => entry))
    } catch (error) {
      const reason = auditError(error)
      for (const { reject } of batch) reject(reason)
      return
    }
    this.#options.faultPoint('audit.committed')
    for (const [index, seq] of written.entries()) batch[index]?.resolve(seq)
    const last = written.at(-1)
    if (last !== undefined) this.#options.committed(last)
  }

  #commit(entries: Stamped[]): number[] {
    for (let attempt = 1; ; attempt++) {
      const ledger = this.ledger()
      try {
        const written = ledger.commit(entries)
        this.#remember(ledger)
        return written
      } catch (error) {
        this.#damaged ||= isDamage(error)
        if (!leavesConnectionSound(error)) this.#drop()
        // Somebody changed the file behind our back: opening it again finds out what, records that, and goes on.
        if (!(error instanceof Displaced) || attempt > 1) throw error
      }
    }
  }

  #open(): Ledger {
    const { folder, key, anchorUnreadable } = this.#options
    const opened = openLedger({
      folder,
      key,
      keyIsNew: this.#keyIsNew,
      anchor: this.#known,
      anchorUnreadable: anchorUnreadable && this.#openIntents === null,
      thorough: this.#damaged,
      stamp: ({ event, detail }) => this.#stamp({ ...NOBODY, event, detail }),
    })
    const { ledger, broke, released } = opened
    this.#keyIsNew = false
    this.#damaged = false
    this.#openIntents ??= opened.openIntents
    this.#remember(ledger)
    this.breaks = breaksOf(ledger.db, key)
    this.#ledger = ledger
    this.#options.opened({ broke, released })
    return ledger
  }

  #remember({ head }: Ledger): void {
    if (head) this.#known = { seq: head.seq, mac: Buffer.from(head.mac).toString('hex') }
  }

  #drop(): void {
    const ledger = this.#ledger
    this.#ledger = null
    this.#options.dropped()
    ledger?.close()
  }

  /** A copy, so that whoever handed it in may go on to change it. */
  #stamp(entry: Entry): Stamped {
    const { kind, event, call, client, peer, standing, tool, secret, outcome, rule, approver, fingerprint } = entry
    const { clock, boot } = this.#options
    const times = { wall: Math.round(clock.now()), mono: Math.round(clock.mono()), boot }
    const words = { kind, event, call, client, peer, standing, tool, secret, outcome, rule, approver, fingerprint }
    const detail = writtenOut(entry.detail)
    if (detail.length + lengthOf(words) > MAX_TEXT) throw new AuditError('the entry is too long')
    return { ...words, ...times, detail }
  }
}

function lengthOf(words: Record<string, string | null>): number {
  let length = 0
  for (const name in words) length += words[name]?.length ?? 0
  return length
}

function writtenOut(detail: Entry['detail']): string {
  try {
    return canonical(detail)
  } catch (cause) {
    throw new AuditError('the entry cannot be written out', { cause })
  }
}

/** A system entry that concerns no call. */
export const NOBODY: Entry = {
  kind: 'system',
  event: '',
  call: null,
  client: null,
  peer: null,
  standing: null,
  tool: null,
  secret: null,
  outcome: null,
  rule: null,
  approver: null,
  fingerprint: null,
  detail: {},
}
