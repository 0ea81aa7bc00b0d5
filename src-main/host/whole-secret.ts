// A secret with its past, for a backup or another name.

import type { Import } from './vault/contract.ts'
import { ChangedOutside, type Vault } from './vault/vault.ts'

/** Null where its value is missing or was changed by another program. */
export async function wholeSecret(vault: Vault, name: string): Promise<Import | null> {
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

function nullIfChanged(error: unknown): null {
  if (error instanceof ChangedOutside) return null
  throw error
}
