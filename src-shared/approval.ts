import type { ImportPlan } from './backup.ts'
import type { ProcessStep, Standing } from './client.ts'

/** How an approval ended. `overtaken`: a policy or the secret changed meanwhile, so whoever still waits is decided anew. */
export type ApprovalEnd = 'allowed' | 'denied' | 'expired' | 'withdrawn' | 'quit' | 'overtaken'

/** Null: without an end. *same*: as many as the token that is replaced was made for. */
export type TokenDays = number | null | 'same'

/** An open question as the windows see it. It never carries the value. */
export interface ApprovalView {
  id: string
  /** Grows whenever what the person reads changes; an answer must name the revision it was given to. */
  revision: number
  clientId: string
  clientName: string
  standing: Standing
  peer: ProcessStep[]
  /** What the client calls itself: untrusted. */
  says: string | null
  tool: string
  secret: string | null
  /** The file a backup would be written to or read from. */
  file: string | null
  /** What importing that file would change. */
  imports?: ImportPlan
  /** The client a token would be made, changed or revoked for, the policy a new one gets, and how long it will be good for. */
  token?: { client: string; policy: string | null; days?: TokenDays }
  /** The AI client whose configuration would get or lose our entry, and the policy a new one gets. */
  registration?: { client: string; policy: string | null }
  /** What a write would replace. */
  replaces: { version: number; updated: number; storedBy: string } | null
  hasValue: boolean
  /** What the person has to know about what would be changed. */
  warning: string | null
  policy: string
  /** Whether an answer may be remembered (reads under *first*, by a verified client). */
  mayRemember: boolean
  /** How many equal calls have joined this question, and how many still wait for its answer. */
  count: number
  waiting: number
  opened: number
  expires: number
}
