// Everything but the log, as one sealed file, and back: into an empty vault or beside what is there already. An import adds; it
// never lowers a version, never loses a value and never widens a policy that exists.

import path from 'node:path'
import type { ImportPlan } from '../../src-shared/backup.ts'
import type { Client } from '../../src-shared/client.ts'
import type { Policy } from '../../src-shared/policy.ts'
import type { Settings } from '../../src-shared/settings.ts'
import { BackupError, readBackup, writeBackup, type BackupContents, type BackupFile } from './backup-file.ts'
import { planId, planImport } from './backup-plan.ts'
import type { Clock } from './ports.ts'
import type { Rows } from './rows.ts'
import { newKdfParams, type KdfParams } from './sealing.ts'
import { ChangedOutside, VaultError, type Vault } from './vault/vault.ts'
import { wholeSecret } from './whole-secret.ts'

export { BackupError }

export interface Exported {
  secrets: number
  /** Names whose value is missing or was changed by another program: there is nothing of ours to back up. */
  skipped: string[]
}

export interface Imported {
  /** New, or with a new version. */
  secrets: number
  policies: number
  /** Policies that differ from the backup's and were kept as they are. */
  kept: string[]
  /** Registrations that came along. */
  clients: string[]
}

/** What the person was shown. */
export interface Agreed {
  /** Of the plan. */
  id: string
  /** Of the file. */
  sha256: string
  withKeys: boolean
}

export interface Backup {
  exportTo: (file: string, passphrase: string) => Promise<Exported>
  /** What an import would change; to be shown before anybody is asked. */
  plan: (file: string, passphrase: string, withKeys: boolean) => Promise<ImportPlan>
  /** Changes what was agreed to, or nothing: the file and what is here are looked at once more. */
  importFrom: (file: string, passphrase: string, by: string, agreed: Agreed) => Promise<Imported>
}

export interface BackupParts {
  vault: Vault
  rows: Rows
  settings: { get: () => Settings; set: (changes: Partial<Settings>) => Settings }
  clock: Clock
  /** Registrations came along; they need keys. */
  madeClients?: (ids: readonly string[]) => void
  /** How hard it is to try passphrases. */
  newKdf?: (() => KdfParams) | undefined
}

type BackupSecret = BackupContents['secrets'][number]

export function createBackup({ vault, rows, settings, clock, madeClients = () => {}, newKdf = newKdfParams }: BackupParts): Backup {
  const here = { vault, rows, settings }
  return {
    exportTo: async (file, passphrase) => {
      expectAbsolute(file)
      const secrets: BackupSecret[] = []
      const skipped: string[] = []
      for (const { name } of vault.list()) {
        const secret = await wholeSecret(vault, name)
        if (secret === null) skipped.push(name)
        else secrets.push(secret)
      }
      // The MAC says that we wrote these, so their shapes are ours.
      const policies = rows.list('policy').map(({ body }) => body as Policy)
      // A token is no key: whoever has one would have to be given another, so these stay here.
      const clients = rows
        .list('client')
        .map(({ body }) => body as Client)
        .filter(({ via }) => via !== 'http')
      const contents: BackupContents = {
        secrets,
        policies,
        clients: clients.map(({ id, name, policy, paused }) => ({ id, name, policy, paused })),
        settings: settings.get(),
      }
      await writeBackup(file, passphrase, contents, newKdf())
      return { secrets: secrets.length, skipped }
    },

    plan: async (file, passphrase, withKeys) => planImport(here, await read(file, passphrase), withKeys),

    importFrom: async (file, passphrase, by, agreed) => {
      const found = await read(file, passphrase)
      const plan = await planImport(here, found, agreed.withKeys)
      if (planId(plan) !== agreed.id) throw new BackupError(found.sha256 === agreed.sha256 ? OTHER_CHANGES : OTHER_FILE)
      let secrets = 0
      for (const secret of found.contents.secrets) if (await mergeSecret(vault, secret, by)) secrets++
      for (const { now } of plan.policies) rows.put('policy', now.name, now)
      mergeSettings(found.contents, plan)
      mergeClients(found.contents, plan)
      return { secrets, policies: plan.policies.length, kept: plan.kept, clients: plan.clients.map(({ id }) => id) }
    },
  }

  async function read(file: string, passphrase: string): Promise<BackupFile> {
    expectAbsolute(file)
    return readBackup(file, passphrase)
  }

  function mergeClients(contents: BackupContents, plan: ImportPlan): void {
    const ids = new Set(plan.clients.map(({ id }) => id))
    for (const { id, name, policy, paused } of contents.clients) {
      if (!ids.has(id)) continue
      const keys = { keyGeneration: 1, previousKeyValid: false, ...(plan.withKeys ? {} : { keyless: true as const }) }
      const client: Client = { id, name, policy, created: clock.now(), program: null, paused, ...keys }
      rows.put('client', id, client)
    }
    if (plan.withKeys) madeClients([...ids])
  }

  function mergeSettings(contents: BackupContents, plan: ImportPlan): void {
    const names = new Set(plan.settings.map(({ name }) => name))
    const changes = Object.fromEntries(Object.entries(contents.settings).filter(([name]) => names.has(name)))
    if (names.size > 0) settings.set(changes)
  }
}

const OTHER_FILE = 'The file is not the one that was shown before you were asked. Nothing was imported; look at it again.'
const OTHER_CHANGES = 'What the import would change is no longer what was shown. Nothing was imported; look at it again.'

/** True when something was stored. */
async function mergeSecret(vault: Vault, secret: BackupSecret, by: string): Promise<boolean> {
  const { name, current, tags, expires } = secret
  if (vault.info(name) === null) {
    await vault.take(secret)
    return true
  }
  const here = await vault.get(name).catch(async (error: unknown) => {
    if (!(error instanceof ChangedOutside)) throw error
    // What the other program wrote becomes a version of its own rather than be lost under this one.
    return vault.adopt(name, 'another program').then(() => vault.get(name), nullIfNotAdopted)
  })
  if (here?.value === current.value) return false
  const info = vault.info(name)
  const kept = info === null || info.tags.length > 0 || info.expires !== null ? {} : { tags, expires }
  await vault.store({ name, value: current.value, by, expect: info?.version ?? null, ...kept })
  return true
}

function expectAbsolute(file: string): void {
  if (!path.isAbsolute(file)) throw new BackupError('Name the backup file with its full path.')
}

/** What cannot be adopted has no value that could be lost. */
function nullIfNotAdopted(error: unknown): null {
  if (error instanceof VaultError) return null
  throw error
}
