import { z } from 'zod'

/** What a person can set, and within which bounds. */
export const settingsSchema = z.strictObject({
  /** How long a call waits for a person before it returns the waiting text. */
  waitSeconds: z.number().int().min(5).max(290),
  /** How long an unanswered prompt stays open. */
  promptMinutes: z.number().int().min(1).max(60),
  callsPerSecond: z.number().int().min(1).max(100_000),
  callBurst: z.number().int().min(1).max(100_000),
  callsInFlight: z.number().int().min(1).max(10_000),
  /** Days the audit log is kept; null keeps everything. */
  retentionDays: z.number().int().min(1).max(36_500).nullable(),
})

export type Settings = z.infer<typeof settingsSchema>

/** Some of them: what a person changes, and what a row from an older version may hold. */
export const someSettingsSchema = settingsSchema.partial()
export type SomeSettings = z.infer<typeof someSettingsSchema>

export const DEFAULT_SETTINGS: Settings = {
  waitSeconds: 25,
  promptMinutes: 10,
  callsPerSecond: 100,
  callBurst: 400,
  callsInFlight: 256,
  retentionDays: null,
}
