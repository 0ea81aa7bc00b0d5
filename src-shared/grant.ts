/** When a grant ends. Times are monotonic, so that setting the clock back extends nothing. */
export type GrantEnd =
  | { kind: 'always' }
  | { kind: 'lock' }
  /** `wall` is for showing only. */
  | { kind: 'time'; mono: number; wall: number }

/** A remembered answer, for the program the person was shown: by its name, or in the digest of the one call. A late approval is one too: for a single call, once. */
export type Grant = {
  id: string
  clientId: string
  since: number
  end: GrantEnd
} & (
  | { covers: 'reads'; name: string; program: string }
  | { covers: 'call'; tool: string; name: string; digest: string; approvalId: string }
)

/** What a person may choose beside Allow. Writes only ever know `once`. */
export const REMEMBER_CHOICES = ['once', '15m', 'lock', 'always'] as const
export type Remember = (typeof REMEMBER_CHOICES)[number]
