import { expect, test } from 'vitest'
import { LostKey, loadKeys, macOf } from './keys.ts'
import { DamagedStore } from './store.ts'
import { memoryKeychain } from './vault/testing.ts'

test('the first start makes three different keys, and the next finds them again', async () => {
  const keychain = memoryKeychain()
  const made = await loadKeys(keychain, { known: false })
  expect(made.chainIsNew).toBe(true)
  expect(new Set([made.chain, made.fingerprint, made.row].map((key) => key.toString('hex'))).size).toBe(3)
  expect([...keychain.items.keys()].toSorted()).toEqual(['key:chain', 'key:fingerprint', 'key:row'])
  expect(await loadKeys(keychain, { known: true })).toEqual({ ...made, chainIsNew: false })
})

test('a lost chain key is replaced, and the replacement says that it is new', async () => {
  const keychain = memoryKeychain()
  const before = await loadKeys(keychain, { known: false })
  keychain.items.delete('key:chain')
  const after = await loadKeys(keychain, { known: true })
  expect(after).toMatchObject({ chainIsNew: true, row: before.row, fingerprint: before.fingerprint })
  expect(after.chain.equals(before.chain)).toBe(false)
})

test.each(['row', 'fingerprint'])('a lost %s key of a known vault is damage and is not replaced', async (name) => {
  const keychain = memoryKeychain()
  await loadKeys(keychain, { known: false })
  keychain.items.delete(`key:${name}`)
  await expect(loadKeys(keychain, { known: true })).rejects.toThrow(LostKey)
  await expect(loadKeys(keychain, { known: true })).rejects.toThrow(DamagedStore)
  expect(keychain.items.has(`key:${name}`)).toBe(false)
})

test('a key that was edited by hand is as lost as a missing one', async () => {
  const keychain = memoryKeychain()
  await loadKeys(keychain, { known: false })
  keychain.items.set('key:row', 'c2hvcnQ=')
  await expect(loadKeys(keychain, { known: true })).rejects.toThrow(LostKey)
})

test('a keychain that is away is not taken for one without keys', async () => {
  const keychain = memoryKeychain()
  keychain.away = true
  await expect(loadKeys(keychain, { known: false })).rejects.toThrow('the daemon is gone')
})

test('a keychain that does not keep a key is found out at once', async () => {
  const keychain = memoryKeychain()
  keychain.forgetful = true
  await expect(loadKeys(keychain, { known: false })).rejects.toThrow('The keychain did not keep the row key.')
})

test('no two different lists of fields have the same MAC', () => {
  const key = Buffer.alloc(32, 1)
  const lists = [['ab', 'c'], ['a', 'bc'], ['abc'], ['abc', ''], ['1'], [1], ['null'], [null], []]
  expect(new Set(lists.map((list) => macOf(key, list).toString('hex'))).size).toBe(lists.length)
})
