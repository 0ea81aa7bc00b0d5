// Another name for a secret: all there is of it is stored under the new name first, and then removed under the old one. Each is a
// write of its own on record, so a crash in between leaves both, and loses nothing.

import type { Entry } from '../../src-shared/audit.ts'
import { newNameFault } from '../../src-shared/names.ts'
import type { SecretInfo } from '../../src-shared/secret.ts'
import type { Core } from './core.ts'
import { Refusal } from './errors.ts'
import { wholeSecret } from './whole-secret.ts'
import type { Import } from './vault/contract.ts'
import { VaultConflict } from './vault/vault.ts'

interface Acts {
  core: () => Core
  record: (event: string, fields: Partial<Entry>) => Promise<unknown>
  writing: <T>(tool: string, name: string, intent: Partial<Entry>, effect: () => Promise<T>) => Promise<T>
}

export function createRenaming({ core, record, writing }: Acts) {
  const toRename = async (name: string, to: string): Promise<Import> => {
    const { vault } = core()
    const fault = newNameFault(to)
    if (fault !== null) throw new Refusal(`The new name ${fault}`)
    if (vault.info(name) === null) throw new Refusal(`There is no secret '${name}'`, 'not found')
    if (vault.info(to) !== null) throw new Refusal(`Secret already exists: ${to}`, 'exists')
    const secret = await wholeSecret(vault, name)
    if (secret !== null) return secret
    throw new Refusal(
      `The value of '${name}' is missing or was changed by another program. Store a new value or go back to a former version, then rename it.`,
    )
  }

  /** A grant was given for what a name stood for: neither the old one nor the new one stands for that any more. */
  const endGrants = async (names: readonly string[]): Promise<void> => {
    const { grants } = core()
    for (const { id } of grants.list().filter((grant) => names.includes(grant.name))) {
      await record('grant.revoked', { detail: { grant: id, renamed: true } })
      grants.revoke(id)
    }
  }

  return async (name: string, to: string): Promise<SecretInfo> => {
    const secret = await toRename(name, to)
    const { vault, now } = core()
    await endGrants([name, to])
    const version = vault.versionTaken({ ...secret, name: to })
    const intent = { fingerprint: vault.fingerprint(to, version, secret.current.value), detail: { version, renamed: name } }
    const info = await writing('store_secret', to, intent, () =>
      vault.take({ ...secret, name: to, current: { ...secret.current, created: now(), storedBy: 'you' } }),
    )
    const before = secret.current.version
    await writing('remove_secret', name, { detail: { version: before, renamed: to } }, () => vault.remove(name, before)).catch(
      (error: unknown) => {
        if (!(error instanceof VaultConflict)) throw error
        throw new Refusal(`'${name}' was changed while it was renamed, so it was kept. What it was before is stored as '${to}'.`)
      },
    )
    return info
  }
}
