// After a crash: every intent without an outcome is compared with what the vault holds now, and closed in the log; questions that
// were open are closed as interrupted.

import type { AuditRow, Entry, LedgerEntry } from '../../src-shared/audit.ts'
import type { Audit } from './audit/audit.ts'
import type { Vault } from './vault/vault.ts'

type Effect = 'applied' | 'not applied' | 'unknown'

export async function recoverIntents(audit: Pick<Audit, 'openIntents' | 'append'>, vault: Vault): Promise<number> {
  const open = audit.openIntents()
  for (const intent of open) {
    const effect = await effectOf(intent, vault)
    const entry = againFor(intent)
    await audit.append({ ...entry, kind: 'outcome', outcome: 'recovered', detail: { ...entry.detail, effect, intent: intent.seq } })
  }
  return open.length
}

/** What was asked lived in the memory of the host before this one; nobody can answer it any more. */
export async function endInterruptedApprovals(audit: Audit): Promise<void> {
  for (const { seq } of await openedByTheHostBefore(audit)) {
    const opened = (await audit.story(seq)).find((entry) => entry.seq === seq)
    if (opened === undefined) continue
    const entry = againFor(opened)
    await audit.append({ ...entry, event: 'approval.ended', detail: { ...entry.detail, end: 'interrupted' } })
  }
}

/** Newest first: a call whose last word about an approval is that it was opened still waited for the answer. */
async function openedByTheHostBefore(audit: Audit): Promise<AuditRow[]> {
  const last = new Map<string, AuditRow>()
  for (let before: number | null = null, more = true; more; more = before !== null) {
    const page: { rows: AuditRow[]; before: number | null } = await audit.query({ event: APPROVALS_AND_STARTS }, before, 1000)
    const start = page.rows.findIndex(({ event }) => event === 'host.started')
    for (const row of start === -1 ? page.rows : page.rows.slice(0, start)) {
      if (row.call !== null && !last.has(row.call)) last.set(row.call, row)
    }
    before = start === -1 ? page.before : null
  }
  return [...last.values()].filter(({ event }) => event === 'approval.opened')
}

const APPROVALS_AND_STARTS = ['approval.opened', 'approval.ended', 'host.started']

/** What an entry says, to be said anew. */
function againFor({ seq: _seq, wall: _wall, mono: _mono, boot: _boot, clockBack: _clockBack, ...entry }: LedgerEntry): Entry {
  return entry
}

async function effectOf({ tool, secret, fingerprint, detail: { version } }: LedgerEntry, vault: Vault): Promise<Effect> {
  if (secret === null || typeof version !== 'number') return 'unknown'
  switch (tool) {
    // Without a fingerprint it was adopted: nobody knew the value before it was read to be stored.
    case 'store_secret':
      return vault.holds(secret, version, fingerprint)
    case 'remove_secret': {
      // A removal takes the version it named with all its history. Still there, current or replaced meanwhile: it was not made.
      const kept = vault.info(secret) === null ? [] : vault.versions(secret)
      return kept.some((one) => one.version === version) ? 'not applied' : 'applied'
    }
    default:
      return 'unknown'
  }
}
