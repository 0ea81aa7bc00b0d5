import type { Policy } from './policy.ts'

/** What an import would change, as the person is shown it before they are asked. It never carries a value. */
export interface ImportPlan {
  /** Of the file's bytes: an answer is for this file and no other. */
  sha256: string
  /** Names that are not here yet, and those that get a new version. */
  added: string[]
  changed: string[]
  policies: { was: Policy | null; now: Policy }[]
  /** Policies that differ from the file's and stay as they are. */
  kept: string[]
  clients: { id: string; name: string; policy: string }[]
  /** Whether these clients get keys, so that programs configured for them can connect at once. */
  withKeys: boolean
  settings: { name: string; was: string; now: string }[]
  /** Settings that the file would make looser, or that were set here: they stay as they are. */
  keptSettings: string[]
}
