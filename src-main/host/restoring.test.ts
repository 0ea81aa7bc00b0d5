import { expect, test } from 'vitest'
import { openTestHost } from './testing/test-host.ts'

test('restoring the current version stores nothing, and records nothing of the kind', async () => {
  const host = await openTestHost()
  await host.window('secrets.store', { name: 'a', value: 'one' })
  await host.window('secrets.store', { name: 'a', value: 'two', force: true })
  const before = await host.rows()
  expect(await host.window('secrets.restore', { name: 'a', version: 2 })).toMatchObject({ name: 'a', version: 2 })
  expect(await host.rows()).toEqual(before)
  expect(await host.window('secrets.restore', { name: 'a', version: 1 })).toMatchObject({ version: 3 })
  expect(await host.rows()).toHaveLength(before.length + 1)
})
