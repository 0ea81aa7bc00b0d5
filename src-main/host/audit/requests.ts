import type { AuditFacets, AuditFilter, AuditPage, AuditTotals, Histogram, LedgerEntry, VerifyReport } from '../../../src-shared/audit.ts'
import type { DryRun, DryRunQuestion } from '../../../src-shared/dry-run.ts'
import type { SecretUses } from '../../../src-shared/secret.ts'
import type { Bound } from './bounded.ts'

export type ExportFormat = 'jsonl' | 'csv'

/** What the worker can be asked, and what it answers. */
export interface Requests {
  query: { ask: { filter: AuditFilter; before: number | null; limit: number; skip: number; bound: Bound | null }; answer: AuditPage }
  totals: { ask: { filter: AuditFilter }; answer: AuditTotals }
  facets: { ask: { filter: AuditFilter }; answer: AuditFacets }
  histogram: { ask: { filter: AuditFilter; from: number; to: number; buckets: number }; answer: Histogram }
  story: { ask: { seq: number }; answer: LedgerEntry[] }
  uses: { ask: { edges: number[] }; answer: SecretUses[] }
  tryPolicy: { ask: { from: number; to: number; clients: string[]; question: DryRunQuestion }; answer: DryRun }
  export: {
    ask: { filter: AuditFilter; format: ExportFormat; path: string; bound: Bound | null }
    answer: { rows: number; others: number }
  }
  /** `head` is what the writer committed last, so that rows cut off the running log are missed. */
  verify: { ask: { chainKey: Uint8Array; head: { seq: number; mac: Uint8Array } | null }; answer: VerifyReport }
  /** The last seq up to which everything is older than `beforeWall` and no call reaches beyond; at most `limit`. */
  pruneBase: { ask: { beforeWall: number; limit: number }; answer: number | null }
  unused: { ask: null; answer: { words: number[]; shapes: number[] } }
}

export type RequestName = keyof Requests
export type Ask<N extends RequestName> = Requests[N]['ask']
export type Answer<N extends RequestName> = Requests[N]['answer']

export type RequestMessage = { [N in RequestName]: { id: number; name: N; ask: Ask<N> } }[RequestName]
/** `reason` as in AuditError. */
export type AnswerMessage = { id: number; answer: Answer<RequestName> } | { id: number; reason: string }
