// What the vault does for the rest of the host.

import type { SecretInfo, SecretVersion } from '../../../src-shared/secret.ts'
import type { NewValue } from './changes.ts'

export interface StoreRequest {
  name: string
  value: string
  by: string
  /** Kept as they are unless given. */
  tags?: string[]
  expires?: number | null
  /** The version that must be current; null: there must be none. */
  expect: number | null
}

/** A secret from a backup, with its past. */
export interface Import {
  name: string
  created: number
  tags: string[]
  expires: number | null
  current: NewValue
  history: NewValue[]
}

export interface Vault {
  list: () => SecretInfo[]
  /** Sorted; the same array for as long as none comes or goes. */
  names: () => readonly string[]
  info: (name: string) => SecretInfo | null
  /** null: no such secret, or its item is gone. Throws ChangedOutside rather than hand out what another program wrote. */
  get: (name: string) => Promise<{ value: string; version: number } | null>
  store: (request: StoreRequest) => Promise<SecretInfo>
  /** `expect` is the version that must be current; null: whatever it is. False when there was nothing to remove. */
  remove: (name: string, expect: number | null) => Promise<boolean>
  /** The number the next value of this name gets. It never comes twice, not even after a removal. */
  nextVersion: (name: string) => number
  versions: (name: string) => SecretVersion[]
  readVersion: (name: string, version: number) => Promise<string>
  restore: (name: string, version: number, by: string) => Promise<SecretInfo>
  forget: (name: string) => Promise<void>
  describe: (name: string, tags: string[], expires: number | null) => Promise<SecretInfo>
  touch: (name: string) => void
  /** Takes what another program wrote as the next version. */
  adopt: (name: string, by: string) => Promise<SecretInfo>
  /** The number that the current value would get if this were taken. */
  versionTaken: (secret: Import) => number
  /** For a name that does not exist here; numbers move up where they were used before. */
  take: (secret: Import) => Promise<SecretInfo>
  fingerprint: (name: string, version: number, value: string) => string
  identify: (value: string) => { name: string; version: number }[]
  /** After a crash: did storing this version happen? `fingerprint` null: whatever the value was. */
  holds: (name: string, version: number, fingerprint: string | null) => Promise<'applied' | 'not applied' | 'unknown'>
  /** Looks again when another program wrote to the file; what it changed is withheld like what was changed before a start. */
  recheck: () => void
  /** The rows of every name are the ones that were written last. */
  isIntact: () => boolean
  /** Looks at every value, one at a time; what changed outside is noticed. Ends early when the keychain is away. */
  check: () => Promise<void>
  close: () => Promise<void>
}
