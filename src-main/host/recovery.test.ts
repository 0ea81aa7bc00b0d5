import { expect, test } from 'vitest'
import type { Entry, LedgerEntry } from '../../src-shared/audit.ts'
import { systemEntry } from './record.ts'
import { recoverIntents } from './recovery.ts'
import { testVault } from './vault/testing.ts'

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

async function effectOfRemoval(vault: Parameters<typeof recoverIntents>[1], version: number): Promise<unknown> {
  const intent = systemEntry('call', { kind: 'intent', call: 'c', tool: 'remove_secret', secret: 'a', detail: { version } })
  const open: LedgerEntry = { ...intent, seq: 1, wall: 0, mono: 0, boot: 'b', clockBack: false }
  const written: Entry[] = []
  await recoverIntents({ openIntents: () => [open], append: async (entry) => written.push(entry) }, vault)
  return written[0]?.detail['effect']
}
