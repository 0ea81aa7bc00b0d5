// Everything that needs the keys: opened when the keychain is, closed with the host.

import { randomUUID } from 'node:crypto'
import { PERSON } from '../../src-shared/client.ts'
import { digestOf, newCallId, secretOf } from './call.ts'
import { createAlarms } from './alarms.ts'
import { createLogCheck } from './log-check.ts'
import { createApprovals, type Matter } from './approvals.ts'
import { openAudit } from './audit/audit.ts'
import { createBackup } from './backup.ts'
import { importDetail } from './backup-plan.ts'
import { createBroker } from './broker.ts'
import { createClosing, type Closing } from './closing.ts'
import type { CoreParts } from './core-parts.ts'
import { openClients } from './clients.ts'
import { keepDailyCopy } from './daily-copy.ts'
import { openGrants } from './grants.ts'
import { createJournal, type Journal } from './journal.ts'
import { recallLastSeen } from './last-seen.ts'
import { subkey } from './keys.ts'
import { createLearning } from './learning.ts'
import { createLimits } from './limits.ts'
import { openPageLogin } from './page-login.ts'
import { openPolicies } from './policies.ts'
import { noRegistrations } from './registrations.ts'
import { approvalEntry, systemEntry } from './record.ts'
import { endInterruptedApprovals, recoverIntents } from './recovery.ts'
import { tellLost } from './lost.ts'
import { recordedResources } from './recorded-resources.ts'
import { openSettings } from './settings.ts'
import { whenTokensEnd } from './token-ends.ts'
import { openTokens } from './tokens.ts'
import { every } from './timers.ts'
import { createTools } from './tools.ts'
import { reportsMistakes } from './unattended.ts'
import { openVaultFile, type VaultFile } from './vault/open.ts'
import { openVault } from './vault/vault.ts'

export type Core = Awaited<ReturnType<typeof openCore>>

const DAY_MS = 24 * 3600_000

export async function openCore(parts: CoreParts) {
  const { folder, guard, keychain, clock, events, faultPoint } = parts
  const reportMistake = reportsMistakes(parts.reportBug)
  const unattended = (work: Promise<unknown>): void => void work.catch(reportMistake)
  const lookUp = { folder, clock, workerPath: parts.auditWorkerPath }
  const file = await openVaultFile({ folder, guard, keychain, decided: parts.decided }).catch((error: unknown) => tellLost(error, lookUp))
  const closing = createClosing()
  closing.add(file.close)
  try {
    return await openWith(file, closing)
  } catch (error) {
    // It is tried again: whatever is open by now would be in the way.
    await closing.close().catch(reportMistake)
    throw error
  }

  async function openWith({ db, keys, rows, root, firstRun }: VaultFile, closing: Closing) {
    let left: string | null = null
    const audit = await openAudit({
      folder,
      chainKey: keys.chain,
      chainKeyIsNew: keys.chainIsNew,
      anchor: { read: () => keychain.get('audit-head'), write: (text) => keychain.set('audit-head', text) },
      clock,
      boot: randomUUID(),
      workerPath: parts.auditWorkerPath,
      folderTrouble: guard.trouble,
      faultPoint,
      reportBug: parts.reportBug,
    })
    closing.add(audit.close)
    const journal = createJournal(audit, faultPoint, parts.reportBug)
    closing.add(async () => {
      // A log that takes nothing more must not keep the host from leaving.
      if (left !== null) await journal.append(systemEntry('host.stopped', { detail: { why: left } })).catch(reportMistake)
    })
    // Before anything is written to the log: an entry brings back the anchor, and with it goes the sign that it was missing.
    const statusChanged = () => events.emit('changed', { what: 'status' })
    const logCheck = createLogCheck({ audit, rows, journal, clock, unattended, reportMistake, changed: statusChanged })
    closing.add(logCheck.stop)
    const vault = await openVault({ db, root, keychain, keys, clock, faultPoint, onNoticed, reportBug: parts.reportBug })
    closing.add(vault.close)
    const settings = openSettings(rows)
    const policies = openPolicies(rows, firstRun)
    const grants = openGrants(rows, clock)
    const page = openPageLogin({ rows, vault, journal, isDesktop: parts.shell !== undefined, changed: statusChanged })
    const approvals = createApprovals({
      clock,
      settings: settings.get,
      recordOpened: async (matter, id) => {
        await journal.append(
          approvalEntry('approval.opened', matter, { approval: id, policy: matter.policy, ...importDetail(matter.call.request) }),
        )
      },
      recordEnded: async (matter, id, end, detail) => {
        const byPerson = end === 'allowed' || end === 'denied' ? 'person' : null
        await journal.append({ ...approvalEntry('approval.ended', matter, { approval: id, end, ...detail }), approver: byPerson })
        if (end === 'allowed') await learning.allowed(matter.call.caller).catch(reportMistake)
      },
      allowed: (matter, id, remember, waited) => {
        const secret = secretOf(matter.call.request) ?? ''
        const known = learning.asKnown(matter.call.caller)
        if (remember !== 'once') noteGrant(grants.rememberRead(matter.call, secret, remember).id, matter, remember)
        else if (!waited) grants.allowRepeat(matter.call, secret, digestOf({ ...matter.call, caller: known }, matter.version), id)
      },
      changed: () => events.emit('approvals', null),
    })
    const live = { coolingUntil: approvals.coolingUntil, tokenEnd: (id: string) => tokens.endOf(id) }
    const clients = openClients({ rows, rowKey: keys.row, policies, clock, keyFiles: parts.keyFiles, ...live })
    const learning = createLearning({
      clients,
      record: (client, program) =>
        journal.append(systemEntry('client.program recorded', { client: PERSON, approver: 'person', detail: { client, program } })),
      learned: (caller) => {
        approvals.known(caller)
        events.emit('changed', { what: 'clients' })
      },
    })
    const backup = createBackup({ vault, rows, settings, clock, madeClients: (ids) => clients.writeKeys(ids), newKdf: parts.newKdf })
    const ended = whenTokensEnd({ journal, events, disconnect: parts.disconnect, unattended })
    const tokens = openTokens({ rows, clients, clock, ended, reportMistake })
    const registrations =
      parts.openRegistrations?.({
        folder,
        key: subkey(keys.row, 'registrations v1'),
        clock,
        ledger: {
          list: () => rows.list('setting'),
          get: (id) => rows.get('setting', id),
          put: (id, body) => rows.put('setting', id, body),
          remove: (id) => rows.remove('setting', id),
        },
        clients,
        revoke: revokeClient,
        record: async (event, client, detail) => {
          await journal.append(systemEntry(event, { detail: { client, ...detail } }))
        },
        changed: () => {
          events.emit('changed', { what: 'clients' })
          events.emit('changed', { what: 'status' })
        },
        reportBug: parts.reportBug,
      }) ?? noRegistrations
    const tools = createTools({
      registrations,
      vault,
      policies,
      clients,
      backup,
      tokens: {
        tokens,
        policies,
        isTaken: (id) => clients.get(id) !== null,
        revoke: revokeClient,
        changed: () => events.emit('changed', { what: 'clients' }),
      },
    })
    const limits = createLimits(clock, settings.get, (client, count) => {
      unattended(journal.append(systemEntry('call', { kind: 'outcome', call: newCallId(), client, outcome: 'limited', detail: { count } })))
    })
    const broker = createBroker({
      clock,
      settings: settings.get,
      journal,
      policies,
      clients,
      grants,
      approvals,
      limits,
      tools,
      pausedText: parts.pausedText,
      secretsChanged,
      faultPoint,
    })
    const read = { vault, policies, clients, audit, tools, settings: settings.get }
    const resources = recordedResources({ ...read, clock, journal, limits, pausedText: parts.pausedText })
    closing.add(() => resources.close().catch(reportMistake))
    closing.add(limits.close)
    const alarms = createAlarms({ tries: page.tries, audit, logCheck, rows, vault, journal, registrations })
    const dailyCopy = keepDailyCopy({
      db,
      folder,
      clock,
      // The copy of before may hold what another program took away.
      mayCopy: () => guard.trouble() === null && rows.intact && rows.refused.length === 0 && vault.isIntact(),
      onFailed: (error) => {
        reportMistake(error)
        unattended(journal.append(systemEntry('vault.copy failed')))
      },
    })
    closing.add(dailyCopy.stop)
    closing.add(registrations.close)
    closing.add(() => approvals.endWhere(() => true, 'quit'))

    clients.ensureCommandLine()
    clients.settleKeys()
    // A full disk must not keep the windows shut: calls are refused with the reason until these can be written.
    await journal.orOwe(async () => {
      if (!rows.intact || rows.refused.length > 0) await noteTampering(audit.append)
    })
    await journal.orOwe(async () => {
      const { decided: how } = parts
      if (how !== null) await audit.append(systemEntry('vault.recovered', { approver: 'person', detail: { how } }))
      const recovered = await recoverIntents(audit, vault)
      if (!firstRun) await endInterruptedApprovals(audit)
      await audit.append(systemEntry('host.started', { detail: { version: parts.version, store: keychain.kind, recovered } }))
    })
    for (const stop of [every(clock, 5000, recheckRows), every(clock, DAY_MS / 24, prune)]) closing.add(stop)
    audit.onAppended((seq) => events.emit('audit', { seq }))
    unattended(vault.check())
    unattended(recallLastSeen(audit, clients).then(() => events.emit('changed', { what: 'clients' })))

    return {
      audit,
      logCheck,
      journal,
      vault,
      settings,
      policies,
      grants,
      page,
      approvals,
      clients,
      backup,
      registrations,
      tokens,
      tools,
      broker,
      resources,
      alarms,
      now: clock.now,
      mono: clock.mono,
      keychain,
      decisionsChanged,
      secretsChanged,
      revokeClient,
      async close(why: string): Promise<void> {
        left = why
        try {
          await closing.close()
        } finally {
          await keychain.close()
        }
      },
    }

    async function revokeClient(id: string): Promise<void> {
      clients.revoke(id)
      tokens.forget(id)
      grants.revokeClient(id)
      await approvals.endWhere((caller) => caller.clientId === id, 'withdrawn')
      parts.disconnect(id)
    }

    function secretsChanged(): void {
      events.emit('changed', { what: 'secrets' })
      events.emit('names', null)
      decisionsChanged()
    }

    /** A policy, a client's binding or a secret changed: open questions that no longer stand as asked are decided anew. */
    function decisionsChanged(): void {
      const stillAsks = (matter: Matter) => {
        const version = tools.subject(matter.call.request)?.version ?? null
        return version === matter.version && broker.judge(matter.call, null).kind === 'ask'
      }
      unattended(approvals.recheck(stillAsks))
    }

    function recheckRows(): void {
      vault.recheck()
      tokens.noticeEnds()
      if (rows.recheck() === 'tampered') unattended(noteTampering(journal.append))
    }

    async function noteTampering(append: Journal['append']): Promise<void> {
      const refused = rows.refused.map(({ kind, id }) => `${kind}/${id}`)
      await append(systemEntry('rows.tampered', { detail: { refused, intact: rows.intact } }))
      events.emit('changed', { what: 'status' })
      events.emit('changed', { what: 'settings' })
    }

    function onNoticed(name: string, state: 'missing' | 'changed outside' | 'ok'): void {
      unattended(journal.append(systemEntry('secret.noticed', { secret: name, detail: { state } })))
      events.emit('changed', { what: 'secrets' })
    }

    function noteGrant(id: string, matter: Matter, remember: string): void {
      unattended(journal.append(approvalEntry('grant.made', matter, { grant: id, remember })))
    }

    function prune(): void {
      const { retentionDays } = settings.get()
      if (retentionDays !== null) unattended(audit.prune(clock.now() - retentionDays * DAY_MS))
    }
  }
}
