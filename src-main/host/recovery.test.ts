import { expect, test } from 'vitest'
import type { Entry, LedgerEntry } from '../../src-shared/audit.ts'
import { systemEntry } from './record.ts'
import { recoverIntents } from './recovery.ts'
import { testVault } from './vault/testing.ts'
import type { Vault } from './vault/vault.ts'

test('a removal that a newer version overtook is recovered as not made', async () => {
  const { vault } = await testVault()
  await vault.store({ name: 'a', value: 'one', by: 'test', expect: null })
  await vault.store({ name: 'a', value: 'two', by: 'test', expect: 1 })
  expect(await effectOfRemoval(vault, 1)).toBe('not applied')
  expect(await effectOfRemoval(vault, 2)).toBe('not applied')
})

test('a removal is recovered as made when its version is gone, also when the name was taken again', async () => {
  const { vault } = await testVault()
  await vault.store({ name: 'a', value: 'one', by: 'test', expect: null })
  await vault.remove('a', 1)
  expect(await effectOfRemoval(vault, 1)).toBe('applied')
  await vault.store({ name: 'a', value: 'two', by: 'test', expect: null })
  expect(await effectOfRemoval(vault, 1)).toBe('applied')
})

test('an adopted value is recovered as adopted when its version is there, and as not adopted when it is not', async () => {
  const { vault, keychain } = await testVault()
  await vault.store({ name: 'a', value: 'ours', by: 'test', expect: null })
  keychain.items.set(keychain.accountOf('a'), 'theirs')
  expect(await effectOfAdoption(vault, 2)).toBe('not applied')
  await vault.adopt('a', 'you')
  expect(await effectOfAdoption(vault, 2)).toBe('applied')
  await vault.remove('a', 2)
  expect(await effectOfAdoption(vault, 2)).toBe('unknown')
})

const effectOfRemoval = (vault: Vault, version: number) => effectOf(vault, { tool: 'remove_secret', detail: { version } })
const effectOfAdoption = (vault: Vault, version: number) => effectOf(vault, { tool: 'store_secret', detail: { version, adopted: true } })

async function effectOf(vault: Vault, fields: Partial<Entry>): Promise<unknown> {
  const intent = systemEntry('call', { kind: 'intent', call: 'c', secret: 'a', ...fields })
  const open: LedgerEntry = { ...intent, seq: 1, wall: 0, mono: 0, boot: 'b', clockBack: false }
  const written: Entry[] = []
  await recoverIntents({ openIntents: () => [open], append: async (entry) => written.push(entry) }, vault)
  return written[0]?.detail['effect']
}
