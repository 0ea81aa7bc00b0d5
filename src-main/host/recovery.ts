// After a crash: every intent without an outcome is compared with what the vault holds now, and closed in the log.

import type { LedgerEntry } from '../../src-shared/audit.ts'
import type { Audit } from './audit/audit.ts'
import type { Vault } from './vault/vault.ts'

type Effect = 'applied' | 'not applied' | 'unknown'

export async function recoverIntents(audit: Audit, vault: Vault): Promise<number> {
  const open = audit.openIntents()
  for (const intent of open) {
    const effect = await effectOf(intent, vault)
    const { seq: _seq, wall: _wall, mono: _mono, boot: _boot, clockBack: _clockBack, ...entry } = intent
    await audit.append({ ...entry, kind: 'outcome', outcome: 'recovered', detail: { ...entry.detail, effect, intent: intent.seq } })
  }
  return open.length
}

async function effectOf(intent: LedgerEntry, vault: Vault): Promise<Effect> {
  const { version } = intent.detail
  if (intent.secret === null || typeof version !== 'number') return 'unknown'
  if (intent.fingerprint !== null) return vault.holds(intent.secret, version, intent.fingerprint)
  // A removal: the version it named is still current, or it is gone.
  return vault.info(intent.secret)?.version === version ? 'not applied' : 'applied'
}
