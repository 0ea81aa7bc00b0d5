import { z } from 'zod'

/** What a person can set. Every value has a default; a stored row holds only what was changed. */
export const settingsSchema = z.strictObject({
  /** How long a call waits for a person before it returns the waiting text. */
  waitSeconds: z.number().int().min(5).max(290).default(25),
  /** How long an unanswered prompt stays open. */
  promptMinutes: z.number().int().min(1).max(60).default(10),
  callsPerSecond: z.number().int().min(1).max(100_000).default(100),
  callBurst: z.number().int().min(1).max(100_000).default(400),
  callsInFlight: z.number().int().min(1).max(10_000).default(256),
  /** Days the audit log is kept; null keeps everything. */
  retentionDays: z.number().int().min(1).max(36_500).nullable().default(null),
})

export type Settings = z.infer<typeof settingsSchema>
export const DEFAULT_SETTINGS: Settings = settingsSchema.parse({})
