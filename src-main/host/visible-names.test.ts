import { expect, test } from 'vitest'
import { openTestHost, registered } from './testing/test-host.ts'

test('a list is up to date after a secret came or went, and after a policy or a binding changed', async () => {
  const host = await openTestHost()
  const caller = await registered(host, 'reader')
  const list = () => host.call(caller, 'list_secrets')
  const store = (name: string) => host.window('secrets.store', { name, value: 'x', force: true })
  await store('a/1')
  expect(await list()).toBe('["a/1"]')
  await store('b/1')
  expect(await list()).toBe('["a/1","b/1"]')
  await store('b/1')
  expect(await list()).toBe('["a/1","b/1"]')

  await host.window('policies.save', { name: 'narrow', description: '', allow: ['b/*'], deny: [], reads: 'always' })
  await host.window('clients.bind', { id: 'reader', policy: 'narrow' })
  expect(await list()).toBe('["b/1"]')
  await host.window('policies.save', { name: 'narrow', description: '', allow: ['a/*'], deny: [], reads: 'always' })
  expect(await list()).toBe('["a/1"]')
  expect(await host.call(caller, 'list_secrets', { scope: 'default' })).toBe('["a/1"]')

  await host.window('secrets.remove', { name: 'a/1' })
  expect(await list()).toBe('[]')
})
