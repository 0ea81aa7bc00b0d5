import { createSecretKey } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type {
  AuditBreak,
  AuditFacets,
  AuditFilter,
  AuditPage,
  AuditTotals,
  Entry,
  Histogram,
  LedgerEntry,
  VerifyReport,
} from '../../../src-shared/audit.ts'
import type { DryRun, DryRunQuestion } from '../../../src-shared/dry-run.ts'
import type { SecretUses } from '../../../src-shared/secret.ts'
import type { Clock } from '../ports.ts'
import { AnchorKeeper, type AnchorPort } from './anchoring.ts'
import type { Bound } from './bounded.ts'
import { anchorText, BEGINNING, parseAnchor } from './chain.ts'
import { auditError, AuditError } from './errors.ts'
import { reportsMistakes } from '../unattended.ts'
import { Reader } from './reader.ts'
import type { ExportFormat } from './requests.ts'
import { removeUnused, removeUpTo } from './retention.ts'
import { FILE } from './schema.ts'
import { stored } from './stored.ts'
import { NOBODY, Writer } from './writer.ts'

export { AuditError } from './errors.ts'

export interface AuditOptions {
  folder: string
  chainKey: Buffer
  /** The keychain had no chain key, so whatever log exists was made with another. */
  chainKeyIsNew: boolean
  anchor: AnchorPort
  clock: Clock
  boot: string
  workerPath: string
  /** Why nothing may be written to the folder now; null: it may. */
  folderTrouble?: () => string | null
  /** Hears of errors that are nobody's fault but ours, in work that nobody waits for. */
  reportBug?: (error: unknown) => void
  /** Reached as `audit.committed` when entries are on disk and nobody was told yet. */
  faultPoint?: (name: string) => void
}

export interface Audit {
  /** Resolves with the entry's seq once it is on disk. Rejects with an AuditError that says why it could not be written. */
  append: (entry: Entry) => Promise<number>
  /** Intents that the former process left without outcome. Empty while the log cannot be opened. */
  openIntents: () => LedgerEntry[]
  /** Called after each commit with the last seq written; returns a function that stops it. */
  onAppended: (listener: (seq: number) => void) => () => void
  /** After a write of a secret: bring the head to the keychain, beside the path. */
  anchorSoon: () => void
  anchorNow: () => Promise<void>
  query: (filter: AuditFilter, before: number | null, limit: number, skip?: number, bound?: Bound | null) => Promise<AuditPage>
  totals: (filter: AuditFilter) => Promise<AuditTotals>
  facets: (filter: AuditFilter) => Promise<AuditFacets>
  histogram: (filter: AuditFilter, from: number, to: number, buckets: number) => Promise<Histogram>
  story: (seq: number) => Promise<LedgerEntry[]>
  /** Reads between one wall time and the next. */
  uses: (edges: number[]) => Promise<SecretUses[]>
  tryPolicy: (from: number, to: number, clients: string[], question: DryRunQuestion) => Promise<DryRun>
  exportTo: (filter: AuditFilter, format: ExportFormat, path: string, bound?: Bound | null) => Promise<{ rows: number; others: number }>
  verify: () => Promise<VerifyReport>
  breaks: () => AuditBreak[]
  /** At the opening there were entries, and nothing in the keychain that says how many there should be. */
  anchorMissing: boolean
  acknowledge: (seq: number) => Promise<void>
  /** Removes entries older than this from the front of the log. */
  prune: (beforeWall: number) => Promise<{ removed: number }>
  close: () => Promise<void>
}

/** Opens the log. If the disk does not let us, it comes up all the same, refuses to record, and says why. */
export async function openAudit(options: AuditOptions): Promise<Audit> {
  const { folder, anchor, clock, boot, faultPoint = () => {}, reportBug = () => {} } = options
  const reportMistake = reportsMistakes(reportBug)
  const key = createSecretKey(options.chainKey)
  const text = await anchor.read()
  const anchored = text === null ? null : parseAnchor(text)
  let anchorMissing = false
  const listeners = new Set<(seq: number) => void>()
  const reader = new Reader(options.workerPath, join(folder, FILE), clock)
  /** One at a time, and before a verify: what is half removed does not verify. */
  let pruning: Promise<unknown> = Promise.resolve()

  const writer = new Writer({
    folder,
    key,
    keyIsNew: options.chainKeyIsNew,
    anchor: anchored?.seq === BEGINNING.seq ? null : anchored,
    anchorUnreadable: text !== null && anchored === null,
    clock,
    boot,
    folderTrouble: options.folderTrouble ?? (() => null),
    faultPoint,
    committed: (seq) => {
      if (isUnanchored()) keeper.soon()
      else keeper.touched()
      for (const listener of listeners) listener(seq)
    },
    dropped: () => void reader.release(),
    opened: ({ broke, released }) => {
      if (broke) keeper.soon()
      // What stays because of a failure here is removed at the next start, and is shown until then.
      if (released > 0) pruning = removeUpTo(() => writer.ledger(), released).catch(reportMistake)
    },
  })
  const keeper = new AnchorKeeper(anchor, clock, anchored, () => writer.known, reportMistake)
  const isUnanchored = () => (keeper.written?.seq ?? BEGINNING.seq) === BEGINNING.seq

  async function verify(): Promise<VerifyReport> {
    await pruning
    const { head } = writer.ledger()
    const report = await reader.ask('verify', { chainKey: key.export(), head: head && { seq: head.seq, mac: head.mac } })
    const breaks = structuredClone(writer.breaks)
    const open = breaks.find(({ acknowledged }) => !acknowledged)
    return report.state === 'ok' && open ? reportOf(open, breaks) : { ...report, breaks }
  }

  async function acknowledge(seq: number): Promise<void> {
    const open = writer.breaks.find((found) => found.seq === seq)
    if (!open) throw new AuditError(`there is no break at entry ${seq}`)
    if (open.acknowledged) return
    await writer.append({ ...NOBODY, event: 'audit.acknowledged', approver: 'person', detail: { segment: seq, found: open.found } })
    open.acknowledged = true
    keeper.soon()
  }

  async function prune(beforeWall: number): Promise<{ removed: number }> {
    // Without a fresh anchor less can go, and that is all.
    await keeper.now().catch(reportMistake)
    const limit = Math.min(...keptFrom(writer, keeper.written?.seq ?? 1)) - 1
    const base = await reader.ask('pruneBase', { beforeWall, limit })
    const last = base === null ? null : stored(writer.ledger().db, base)
    if (last === null) return { removed: 0 }
    const mac = Buffer.from(last.mac).toString('hex')
    await writer.append({ ...NOBODY, event: 'audit.pruned', detail: { base: last.seq, mac, before: beforeWall } })
    const removed = await removeUpTo(() => writer.ledger(), last.seq)
    await removeUnused(writer.ledger(), () => reader.ask('unused', null))
    return { removed }
  }

  const isNew = !existsSync(join(folder, FILE))
  if (text === null && isNew) await anchor.write(anchorText(BEGINNING))
  try {
    const { head } = writer.ledger()
    if (text === null && !isNew && head === null) await anchor.write(anchorText(BEGINNING))
    anchorMissing = text === null && !isNew && head !== null && writer.breaks.length === 0
  } catch (error) {
    // The log comes up all the same: every append tries again and says why it cannot be written.
    if (!(error instanceof AuditError)) throw error
  }
  // A missing one comes back with the next entry: by then whoever opened the log has remembered that it was missing.
  if (isUnanchored() && !anchorMissing) keeper.soon()

  return {
    append: (entry) => writer.append(entry),
    openIntents: () => structuredClone(writer.openIntents),
    onAppended: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    anchorSoon: () => keeper.soon(),
    anchorNow: () => keeper.now(),
    query: (filter, before, limit, skip = 0, bound = null) => reader.ask('query', { filter, before, limit, skip, bound }),
    totals: (filter) => reader.ask('totals', { filter }),
    facets: (filter) => reader.ask('facets', { filter }),
    histogram: (filter, from, to, buckets) => reader.ask('histogram', { filter, from, to, buckets }),
    story: (seq) => reader.ask('story', { seq }),
    uses: (edges) => reader.ask('uses', { edges }),
    tryPolicy: (from, to, clients, question) => reader.ask('tryPolicy', { from, to, clients, question }),
    exportTo: (filter, format, path, bound = null) => reader.ask('export', { filter, format, path, bound }),
    verify,
    breaks: () => structuredClone(writer.breaks),
    anchorMissing,
    acknowledge,
    prune: (beforeWall) => {
      const result = pruning.then(() => prune(beforeWall))
      pruning = result.catch(() => {})
      return result.catch((error: unknown) => {
        throw auditError(error)
      })
    },
    close: async () => {
      writer.finish()
      await keeper.close()
      await reader.close()
      writer.close()
    },
  }
}

/** Seqs that pruning must stay below: the anchored row, the oldest open intent, a break that nobody has acknowledged. */
function keptFrom(writer: Writer, anchored: number): number[] {
  const breaks = writer.breaks.filter(({ acknowledged }) => !acknowledged).map(({ seq }) => seq)
  return [anchored, writer.ledger().oldestOpen ?? Infinity, ...breaks]
}

/** A sound log that begins with a break: what the person has not acknowledged yet is reported as what it was. */
function reportOf(open: AuditBreak, breaks: AuditBreak[]): VerifyReport {
  const aside = open.aside === null ? '' : ` What was found lies in ${open.aside}.`
  const ends = { head: open.last, anchor: open.seq - 1 }
  switch (open.found) {
    case 'missing':
      return { state: 'behind', ...ends, reason: `The log was gone when it was opened.${aside}`, breaks }
    case 'behind':
      return { state: 'behind', ...ends, reason: `That was found when it was opened.${aside}`, breaks }
    case 'foreign':
      return { state: 'tampered', badSeq: open.seq, reason: `The log was not the one that was anchored.${aside}`, breaks }
    case 'corrupt':
      return { state: 'tampered', badSeq: open.seq, reason: `The log could not be read when it was opened.${aside}`, breaks }
    case 'no key':
      return {
        state: 'no key',
        reason: `The key of the log was gone, so nothing before entry ${open.seq} can be verified.${aside}`,
        breaks,
      }
  }
}
