// What the core is put together from.

import type { BackupParts } from './backup.ts'
import type { KeyFiles } from './clients.ts'
import type { Events } from './events.ts'
import type { FolderGuard } from './folder-guard.ts'
import type { Clock, Keychain, Shell } from './ports.ts'
import type { OpenRegistrations } from './registrations.ts'
import type { Decision } from './vault/open.ts'

export interface CoreParts {
  folder: string
  guard: FolderGuard
  keychain: Keychain
  clock: Clock
  keyFiles: KeyFiles
  auditWorkerPath: string
  version: string
  /** What a person chose after damage. */
  decided: Decision | null
  events: Events
  pausedText: () => string | null
  faultPoint: (name: string) => void
  /** For tests that make many backups. */
  newKdf?: BackupParts['newKdf']
  /** Ends every connection of a client that is no longer one. */
  disconnect: (clientId: string) => void
  openRegistrations?: OpenRegistrations
  /** There, where a desktop shows windows. */
  shell?: Shell
  reportBug: (error: unknown) => void
}
