// What an import would change. It adds what is not here, and changes what nobody has set here yet, but never to anything wider:
// no policy that allows more, no shorter log, no higher limit.

import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { JsonValue } from '../../src-shared/audit.ts'
import type { ImportPlan } from '../../src-shared/backup.ts'
import { globFault } from '../../src-shared/glob.ts'
import { DEFAULT_POLICY, type Policy, type Reads } from '../../src-shared/policy.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../src-shared/settings.ts'
import type { BackupContents, BackupFile } from './backup-file.ts'
import { importOf, type Request } from './call.ts'
import type { Rows } from './rows.ts'
import { ChangedOutside, type Vault } from './vault/vault.ts'

export interface PlanParts {
  vault: Vault
  rows: Rows
  settings: { get: () => Settings }
}

export async function planImport({ vault, rows, settings }: PlanParts, file: BackupFile, withKeys: boolean): Promise<ImportPlan> {
  const { contents, sha256 } = file
  const added: string[] = []
  const changed: string[] = []
  for (const { name, current } of contents.secrets) {
    if (vault.info(name) === null) added.push(name)
    else if (!(await holds(vault, name, current.value))) changed.push(name)
  }
  const clients = contents.clients.filter(({ id }) => rows.get('client', id) === null && !isRefused(rows, 'client', id))
  return {
    sha256,
    added,
    changed,
    ...planPolicies(rows, contents.policies),
    clients: clients.map(({ id, name, policy }) => ({ id, name, policy })),
    withKeys,
    ...planSettings(settings.get(), contents.settings),
  }
}

/** Names a plan: equal only for the same file and the same changes. */
export function planId(plan: ImportPlan): string {
  return createHash('sha256').update(JSON.stringify(plan)).digest('hex')
}

const MOST_NAMED = 100

/** For the log: the same, with long lists cut. */
export function planDetail(plan: ImportPlan): Record<string, JsonValue> {
  const some = (names: string[]) =>
    names.length <= MOST_NAMED ? names : [...names.slice(0, MOST_NAMED), `and ${names.length - MOST_NAMED} more`]
  return {
    imports: {
      sha256: plan.sha256,
      added: some(plan.added),
      changed: some(plan.changed),
      policies: plan.policies.slice(0, MOST_NAMED).map(({ was, now }) => ({ name: now.name, was: was && brief(was), now: brief(now) })),
      kept: some(plan.kept),
      clients: some(plan.clients.map(({ id, policy }) => `${id} (${policy})`)),
      withKeys: plan.withKeys,
      settings: plan.settings.map(({ name, was, now }) => ({ name, was, now })),
      keptSettings: plan.keptSettings,
    },
  }
}

/** The same of a request; nothing for any other. */
export function importDetail(request: Request): Record<string, JsonValue> {
  const { imports } = importOf(request)
  return imports === undefined ? {} : planDetail(imports)
}

const brief = ({ allow, deny, reads }: Policy) => ({ allow, deny, reads })

async function holds(vault: Vault, name: string, value: string): Promise<boolean> {
  try {
    return (await vault.get(name))?.value === value
  } catch (error) {
    if (error instanceof ChangedOutside) return false
    throw error
  }
}

function planPolicies(rows: Rows, policies: readonly Policy[]): Pick<ImportPlan, 'policies' | 'kept'> {
  const plan: Pick<ImportPlan, 'policies' | 'kept'> = { policies: [], kept: [] }
  for (const now of policies) {
    // The MAC says that we wrote it, so its shape is ours.
    const was = rows.get('policy', now.name) as Policy | null
    if (isDeepStrictEqual(was, now)) continue
    const isNew = was === null && !isRefused(rows, 'policy', now.name)
    const isFree = isNew || (was !== null && isDeepStrictEqual(was, DEFAULT_POLICY) && isNoWider(was, now))
    if (isFree && [...now.allow, ...now.deny].every((pattern) => globFault(pattern) === null)) plan.policies.push({ was, now })
    else plan.kept.push(now.name)
  }
  return plan
}

const STRICTNESS: Reads[] = ['always', 'first', 'ask', 'never']

/** Pattern by pattern: what cannot be seen to be narrower counts as wider. */
export function isNoWider(was: Policy, now: Policy): boolean {
  const allows = (pattern: string) => was.allow.includes(pattern) || was.allow.includes('*')
  return (
    now.allow.every(allows) &&
    was.deny.every((pattern) => now.deny.includes(pattern)) &&
    STRICTNESS.indexOf(now.reads) >= STRICTNESS.indexOf(was.reads)
  )
}

/** Whether the first is as strict as the second, or nothing of that kind. */
const NO_LOOSER: { [K in keyof Settings]: (now: Settings[K], was: Settings[K]) => boolean } = {
  waitSeconds: () => true,
  promptMinutes: () => true,
  callsPerSecond: (now, was) => now <= was,
  callBurst: (now, was) => now <= was,
  callsInFlight: (now, was) => now <= was,
  retentionDays: (now, was) => now === null || (was !== null && now >= was),
  notifications: (now, was) => now || !was,
  lockOnSleep: (now, was) => now || !was,
  http: (now) => !now.enabled,
}

function planSettings(here: Settings, there: BackupContents['settings']): Pick<ImportPlan, 'settings' | 'keptSettings'> {
  const plan: Pick<ImportPlan, 'settings' | 'keptSettings'> = { settings: [], keptSettings: [] }
  const consider = <K extends keyof Settings>(name: K, now: Settings[K] | undefined): void => {
    const was = here[name]
    if (now === undefined || isDeepStrictEqual(was, now)) return
    // What the person has set here stays.
    if (isDeepStrictEqual(was, DEFAULT_SETTINGS[name]) && NO_LOOSER[name](now, was))
      plan.settings.push({ name, was: JSON.stringify(was), now: JSON.stringify(now) })
    else plan.keptSettings.push(name)
  }
  // Both have the names of the table and no others.
  for (const name of Object.keys(NO_LOOSER) as (keyof Settings)[]) consider(name, there[name])
  return plan
}

/** An import must not settle by the way what a person has yet to see. */
function isRefused(rows: Rows, kind: 'policy' | 'client', id: string): boolean {
  return rows.refused.some((row) => row.kind === kind && row.id === id)
}
