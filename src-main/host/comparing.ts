import type { ImportState } from '../../src-shared/secret.ts'
import type { Vault } from './vault/vault.ts'

/** What storing these would do. Told by keyed fingerprints: no value is fetched, and none goes back. */
export async function compare(vault: Vault, entries: readonly { name: string; value: string }[]): Promise<ImportState[]> {
  const states: ImportState[] = []
  for (const { name, value } of entries) {
    const info = vault.info(name)
    if (info === null) states.push('new')
    else if (info.state !== 'ok') states.push('changed')
    else {
      const held = await vault.holds(name, info.version, vault.fingerprint(name, info.version, value))
      states.push(held === 'applied' ? 'same' : 'changed')
    }
  }
  return states
}
