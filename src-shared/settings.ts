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
  /** Whether a desktop tells of requests by its own notifications. */
  notifications: z.boolean(),
  /** Whether a locked screen or a sleeping computer drops the grants that are not for always. */
  lockOnSleep: z.boolean(),
  /** The MCP endpoint for programs that speak HTTP, on 127.0.0.1 alone. */
  http: z.strictObject({ enabled: z.boolean(), port: z.number().int().min(1).max(65_535) }),
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
  notifications: true,
  lockOnSleep: true,
  http: { enabled: false, port: 8717 },
}

/** What counts where another program changed the settings, until a person has acknowledged it: whatever lets least through and tells most. */
export const STRICTEST_SETTINGS: Settings = {
  waitSeconds: 5,
  promptMinutes: 1,
  callsPerSecond: 1,
  callBurst: 1,
  callsInFlight: 1,
  retentionDays: null,
  notifications: true,
  lockOnSleep: true,
  http: { enabled: false, port: 8717 },
}
