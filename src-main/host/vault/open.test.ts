import { copyFileSync, rmSync, truncateSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { LostKey } from '../keys.ts'
import { DamagedStore } from '../store.ts'
import { openVaultFile } from './open.ts'
import { memoryKeychain, tempFolder } from './testing.ts'

async function used() {
  const folder = tempFolder()
  const keychain = memoryKeychain()
  const file = path.join(folder, 'vault.db')
  const first = await openVaultFile({ folder, keychain })
  first.rows.put('policy', 'default', { name: 'default' })
  await first.close()
  const open = (decided: 'daily copy' | 'start anew' | null = null) => openVaultFile({ folder, keychain, decided })
  return { folder, keychain, file, open, firstRun: first.firstRun }
}

test('the first run is the one before anything was decided, also when it was cut short', async () => {
  const folder = tempFolder()
  const keychain = memoryKeychain()
  const cutShort = await openVaultFile({ folder, keychain })
  expect(cutShort.firstRun).toBe(true)
  await cutShort.close()
  const again = await openVaultFile({ folder, keychain })
  expect(again.firstRun).toBe(true)
  again.rows.put('policy', 'default', {})
  await again.close()
  const later = await openVaultFile({ folder, keychain })
  expect([later.firstRun, later.rows.intact]).toEqual([false, true])
  await later.close()
})

test.each([
  ['deleted', (file: string) => rmSync(file)],
  ['emptied', (file: string) => truncateSync(file, 0)],
])('a vault database that was %s is damage, never a first run', async (_, harm) => {
  const { file, open } = await used()
  harm(file)
  await expect(open()).rejects.toThrow(DamagedStore)
  await expect(open()).rejects.toThrow('vault.db is gone.')
})

test('an empty database put in the place of ours is damage, never a first run', async () => {
  const { folder, file, open } = await used()
  const other = await openVaultFile({ folder: tempFolder(), keychain: memoryKeychain() })
  other.db.exec(`VACUUM INTO '${path.join(folder, 'other.db')}'`)
  await other.close()
  copyFileSync(path.join(folder, 'other.db'), file)
  await expect(open()).rejects.toThrow('vault.db was emptied or replaced.')
})

test('an older copy of the database is found, and only a person brings it back', async () => {
  const { folder, file, open } = await used()
  const old = path.join(folder, 'old.db')
  copyFileSync(file, old)
  const changed = await open()
  changed.rows.put('policy', 'default', { name: 'default', deny: ['*'] })
  await changed.close()
  copyFileSync(old, file)
  await expect(open()).rejects.toThrow('vault.db is an older copy of itself.')
  const restored = await open('daily copy')
  expect(restored.rows.get('policy', 'default')).toEqual({ name: 'default' })
  await restored.close()
  const later = await open()
  expect(later.rows.intact).toBe(true)
  await later.close()
  copyFileSync(old, file)
  await expect(open()).rejects.toThrow('vault.db is an older copy of itself.')
})

test('a person can start anew', async () => {
  const { file, open } = await used()
  rmSync(file)
  const fresh = await open('start anew')
  expect([fresh.firstRun, fresh.rows.list('policy')]).toEqual([true, []])
  fresh.rows.put('policy', 'default', {})
  await fresh.close()
  const later = await open()
  expect([later.firstRun, later.rows.intact]).toEqual([false, true])
  await later.close()
})

test('a lost row key is damage, and starting anew makes another', async () => {
  const { file, keychain, open } = await used()
  keychain.items.delete('key:row')
  await expect(open()).rejects.toThrow(LostKey)
  rmSync(file)
  const fresh = await open('start anew')
  expect(fresh.rows.intact).toBe(true)
  await fresh.close()
})

test('a database whose root was edited is damage', async () => {
  const { open } = await used()
  const edited = await open()
  edited.db.exec("UPDATE root SET list = '[]'")
  await edited.close()
  await expect(open()).rejects.toThrow('its root is not ours')
})
