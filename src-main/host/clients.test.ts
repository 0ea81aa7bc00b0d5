import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openKeyFiles, readKey } from '../adapters/key-files.ts'
import { keyFile } from '../adapters/paths.ts'
import { openTestHost } from './testing/test-host.ts'

test('a registration and its key that a crash has parted are together again after the next start', async () => {
  const host = await openTestHost()
  const { folder } = host
  await host.window('clients.register', { id: 'cursor', name: 'Cursor', policy: 'default' })
  const key = readKey(folder, 'cursor')
  // As a crash in the middle of a rotation leaves it, of a revocation, and of a registration.
  openKeyFiles(folder).write('cursor', Buffer.alloc(32, 1))
  openKeyFiles(folder).write('revoked', Buffer.alloc(32, 2))
  const again = await host.restart()
  expect(readKey(folder, 'cursor')).toEqual(key)
  expect(existsSync(keyFile(folder, 'revoked'))).toBe(false)
  openKeyFiles(folder).remove('cursor')
  await again.restart()
  expect(readKey(folder, 'cursor')).toEqual(key)
})
