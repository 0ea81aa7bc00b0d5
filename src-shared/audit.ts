/**
 * What happened, as handed to the ledger. Every field is fit for disk: no value, no length of a value, no plain hash of one.
 * The ledger adds seq, times, boot and the chain.
 */
export interface Entry {
  /** `intent` before an effect, `outcome` when a call ends, `system` for everything that is not a call. */
  kind: 'intent' | 'outcome' | 'system'
  /** For calls `call`; for system entries what happened, e.g. `approval.opened`, `policy.saved`, `host.started`. */
  event: string
  /** Id of the call; ties intent, approval and outcome together. */
  call: string | null
  client: string | null
  /** Process chain, outermost first: "Terminal › zsh › cursor". Evidence, not proof. */
  peer: string | null
  standing: string | null
  tool: string | null
  secret: string | null
  outcome: Outcome | null
  /** The rule that decided, in words: "policy default: reads first", "grant g1". */
  rule: string | null
  /** Who answered: `person`, `grant`, `policy`. */
  approver: string | null
  /** Keyed fingerprint of the value concerned. */
  fingerprint: string | null
  /** The rest, small and event-specific: version, reason, field names, timeline in ms. */
  detail: Record<string, JsonValue>
}

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue }

export const OUTCOMES = [
  'allowed',
  'denied',
  'waiting',
  'expired',
  'cancelled',
  'rejected',
  'limited',
  'timeout',
  'failed',
  'recovered',
] as const
export type Outcome = (typeof OUTCOMES)[number]

/** An entry as it stands in the ledger. */
export interface LedgerEntry extends Entry {
  seq: number
  /** Wall clock, ms since 1970. */
  wall: number
  /** Monotonic clock of this boot of the host, ms. */
  mono: number
  boot: string
  /** Set when the wall clock went back between this row and the one before. */
  clockBack: boolean
}

/** One row of the audit screen: a call (its latest state) or a system entry. */
export interface AuditRow {
  /** Seq of the entry that opened this row. */
  seq: number
  /** Seq of the latest entry about it; the inspector reads from there. */
  lastSeq: number
  wall: number
  event: string
  call: string | null
  client: string | null
  tool: string | null
  secret: string | null
  outcome: Outcome | null
  rule: string | null
  approver: string | null
}

/** Who or what decided, in words, for a person who looks at the log. */
export function decidedBy({ rule, approver }: Pick<AuditRow, 'rule' | 'approver'>): string {
  if (approver !== 'person') return rule ?? approver ?? ''
  return rule === null || rule === 'the person' ? 'person' : `person; ${rule}`
}

export interface AuditFilter {
  client?: string[] | undefined
  tool?: string[] | undefined
  secret?: string[] | undefined
  outcome?: Outcome[] | undefined
  event?: string[] | undefined
  /** The same fields, excluded. */
  not?:
    | {
        client?: string[] | undefined
        tool?: string[] | undefined
        secret?: string[] | undefined
        outcome?: Outcome[] | undefined
        event?: string[] | undefined
      }
    | undefined
  /** Wall times, `from` inclusive, `to` exclusive. */
  from?: number | undefined
  to?: number | undefined
  /** Free text over client, tool, secret, rule and event. */
  text?: string | undefined
}

export interface AuditPage {
  rows: AuditRow[]
  /** Pass it back as `before` for the next, older page; null at the end. */
  before: number | null
  /** With the first page of whoever is bound by a policy: rows that it keeps out of sight. */
  others?: number
}

/** How much there is behind a filter, as of one state of the log. */
export interface AuditTotals {
  /** Rows that pass the filter. */
  rows: number
  /** The newest seq: with `before` one above it, pages stay where they are while the log grows. */
  head: number
  /** Everything in the log, whatever the filter. */
  entries: number
  /** From when on there are rows: a wall time. */
  oldest: number | null
}

export interface FacetCount {
  value: string
  count: number
}

export type AuditFacets = Record<'client' | 'tool' | 'secret' | 'outcome' | 'event', FacetCount[]>

/** Counts per time bucket and outcome ('' for rows without one). */
export interface Histogram {
  bucketMs: number
  buckets: { from: number; counts: Record<string, number> }[]
}

/** What `verify` found. The CLI's exit codes are 0, 1, 7 and 8 in this order. */
export type VerifyReport =
  | { state: 'ok'; entries: number; head: number; breaks: AuditBreak[] }
  | { state: 'tampered'; badSeq: number; reason: string; breaks: AuditBreak[] }
  | { state: 'no key'; reason: string; breaks: AuditBreak[] }
  /** `anchor` is the last entry it was known to have, `head` the last one that was found; null where none was, or nobody wrote it down. */
  | { state: 'behind'; head: number | null; anchor: number; reason: string; breaks: AuditBreak[] }

/** Which entry was expected at the end of the log, and which was found there. */
export function behindText({ head, anchor }: { head: number | null; anchor: number }): string {
  const expected = `The log was expected to reach entry ${anchor}`
  return head === null ? `${expected}, and did not.` : `${expected}, and ended at entry ${head}.`
}

export interface Verified {
  /** Wall time. */
  at: number
  report: VerifyReport
}

/** A place where the log did not continue what was anchored; named by the first row of the segment after it. */
export interface AuditBreak {
  seq: number
  wall: number
  found: 'missing' | 'behind' | 'foreign' | 'corrupt' | 'no key'
  /** The file that was moved aside, without its folder. */
  aside: string | null
  /** The last entry of a log that ended before its anchor; null where that is not known. */
  last: number | null
  acknowledged: boolean
}
