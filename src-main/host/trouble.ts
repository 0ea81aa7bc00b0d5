// What policy, vault, keychain and backups have to say, as a sentence for the client.

import type { Verdict } from '../../src-shared/decide.ts'
import { texts } from '../../src-shared/texts.ts'
import { BackupError } from './backup-file.ts'
import { secretOf, type Call } from './call.ts'
import { diskTrouble } from './disk-trouble.ts'
import { KeychainError } from './ports.ts'
import { failure, type ToolResult } from './tool-result.ts'
import { ChangedOutside, VaultConflict } from './vault/errors.ts'

/** What its policy refuses. */
export function denial(call: Call, verdict: Extract<Verdict, { kind: 'deny' }>): ToolResult {
  const name = secretOf(call.request) ?? ''
  const text = verdict.why === 'never' ? texts.neverShown(name) : texts.outsidePolicy(name, verdict.rule.policy)
  return failure(text, 'denied', { reason: verdict.why })
}

/** Null for a mistake of our own. */
export function troubleOf(call: Call, error: unknown): ToolResult | null {
  const name = secretOf(call.request) ?? ''
  if (error instanceof KeychainError) {
    const text = error.code === 'locked' ? texts.keychainLocked : texts.keychainUnavailable(error.message)
    return failure(text, 'failed', { reason: `keychain ${error.code}` })
  }
  if (error instanceof VaultConflict) {
    const exists = call.request.tool === 'store_secret' && !call.request.force
    return failure(exists ? texts.alreadyExists(name) : texts.changedMeanwhile(name), 'denied', { reason: 'changed meanwhile' })
  }
  const disk = diskTrouble(error)
  if (disk !== null) return failure(texts.notWritten(disk), 'failed', { reason: disk })
  if (error instanceof ChangedOutside) return failure(texts.changedOutside(name), 'failed', { reason: 'changed outside' })
  if (error instanceof BackupError) return failure(error.message, 'failed', { reason: 'backup' })
  return null
}
