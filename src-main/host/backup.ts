// Everything but the log, as one sealed file, and back: into an empty vault or beside what is there already. An import adds; it
// never lowers a version, never loses a value and never widens a policy that exists.

import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Client } from '../../src-shared/client.ts'
import { globFault } from '../../src-shared/glob.ts'
import { DEFAULT_POLICY, type Policy } from '../../src-shared/policy.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../src-shared/settings.ts'
import { BackupError, readBackup, writeBackup, type BackupContents } from './backup-file.ts'
import type { Clock } from './ports.ts'
import type { Rows } from './rows.ts'
import { ChangedOutside, VaultError, type Vault } from './vault/vault.ts'

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

export interface Backup {
  exportTo: (file: string, passphrase: string) => Promise<Exported>
  importFrom: (file: string, passphrase: string, by: string) => Promise<Imported>
}

export interface BackupParts {
  vault: Vault
  rows: Rows
  settings: { get: () => Settings; set: (changes: Partial<Settings>) => Settings }
  clock: Clock
  /** Registrations came along; they need keys. */
  madeClients?: (ids: readonly string[]) => void
}

type BackupSecret = BackupContents['secrets'][number]

export function createBackup({ vault, rows, settings, clock, madeClients = () => {} }: BackupParts): Backup {
  return {
    exportTo: async (file, passphrase) => {
      expectAbsolute(file)
      const secrets: BackupSecret[] = []
      const skipped: string[] = []
      for (const { name } of vault.list()) {
        const secret = await secretOf(vault, name)
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
      await writeBackup(file, passphrase, {
        secrets,
        policies,
        clients: clients.map(({ id, name, policy, paused }) => ({ id, name, policy, paused })),
        settings: settings.get(),
      })
      return { secrets: secrets.length, skipped }
    },

    importFrom: async (file, passphrase, by) => {
      expectAbsolute(file)
      const contents = await readBackup(file, passphrase)
      let secrets = 0
      for (const secret of contents.secrets) if (await mergeSecret(vault, secret, by)) secrets++
      const { added, kept } = mergePolicies(rows, contents.policies)
      mergeSettings(contents)
      return { secrets, policies: added, kept, clients: mergeClients(contents) }
    },
  }

  function mergeClients(contents: BackupContents): string[] {
    const fresh = contents.clients.filter(({ id }) => rows.get('client', id) === null && !isRefused(rows, 'client', id))
    for (const { id, name, policy, paused } of fresh) {
      const client: Client = { id, name, policy, created: clock.now(), program: null, keyGeneration: 1, previousKeyValid: false, paused }
      rows.put('client', id, client)
    }
    const ids = fresh.map(({ id }) => id)
    madeClients(ids)
    return ids
  }

  /** What the person has set here stays. */
  function mergeSettings(contents: BackupContents): void {
    const here = settings.get()
    const untouched = Object.entries(contents.settings).filter(([key, value]) => {
      const name = key as keyof Settings
      return here[name] === DEFAULT_SETTINGS[name] && here[name] !== value
    })
    if (untouched.length > 0) settings.set(Object.fromEntries(untouched))
  }
}

async function secretOf(vault: Vault, name: string): Promise<BackupSecret | null> {
  const info = vault.info(name)
  const found = info === null ? null : await vault.get(name).catch(nullIfChanged)
  if (info === null || found === null) return null
  const history = []
  for (const { version, created, storedBy, current } of vault.versions(name)) {
    if (!current) history.push({ version, created, storedBy, value: await vault.readVersion(name, version) })
  }
  const { created, updated, tags, expires, storedBy } = info
  return { name, created, tags, expires, current: { version: found.version, created: updated, storedBy, value: found.value }, history }
}

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

function mergePolicies(rows: Rows, policies: readonly Policy[]): { added: number; kept: string[] } {
  const kept: string[] = []
  let added = 0
  for (const policy of policies) {
    const here = rows.get('policy', policy.name)
    if (isDeepStrictEqual(here, policy)) continue
    const free = (here === null && !isRefused(rows, 'policy', policy.name)) || isDeepStrictEqual(here, DEFAULT_POLICY)
    if (free && [...policy.allow, ...policy.deny].every((pattern) => globFault(pattern) === null)) {
      rows.put('policy', policy.name, policy)
      added++
    } else kept.push(policy.name)
  }
  return { added, kept }
}

/** An import must not settle by the way what a person has yet to see. */
function isRefused(rows: Rows, kind: 'policy' | 'client', id: string): boolean {
  return rows.refused.some((row) => row.kind === kind && row.id === id)
}

function expectAbsolute(file: string): void {
  if (!path.isAbsolute(file)) throw new BackupError('Name the backup file with its full path.')
}

/** What cannot be adopted has no value that could be lost. */
function nullIfNotAdopted(error: unknown): null {
  if (error instanceof VaultError) return null
  throw error
}

function nullIfChanged(error: unknown): null {
  if (error instanceof ChangedOutside) return null
  throw error
}
