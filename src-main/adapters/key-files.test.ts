import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openKeyFiles, readKey } from './key-files.ts'

let folder: string
const key = Buffer.from('0123456789abcdef'.repeat(2))

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'keys-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a key is read back as it was written, until it is removed', () => {
  const files = openKeyFiles(folder)
  expect(files.holds('cursor', key)).toBe(false)
  expect(readKey(folder, 'cursor')).toBeNull()
  files.write('cursor', Buffer.alloc(32))
  files.write('cursor', key)
  expect(files.holds('cursor', key)).toBe(true)
  expect(files.holds('cursor', Buffer.alloc(32))).toBe(false)
  expect(readKey(folder, 'cursor')).toEqual(key)
  files.remove('cursor')
  files.remove('cursor')
  expect(readKey(folder, 'cursor')).toBeNull()
})

test('keys of nobody go, and so do drafts that a crash left behind', () => {
  const files = openKeyFiles(folder)
  for (const id of ['cursor', 'revoked']) files.write(id, key)
  writeFileSync(path.join(folder, 'keys', 'cursor.key.1234.new'), key.toString('hex'))
  files.keepOnly(['cursor'])
  expect(readdirSync(path.join(folder, 'keys'))).toEqual(['cursor.key'])
  expect(files.holds('cursor', key)).toBe(true)
})

test('it is ours alone, whatever the umask', () => {
  const before = process.umask(0)
  openKeyFiles(folder).write('cursor', key)
  process.umask(before)
  expect(statSync(path.join(folder, 'keys')).mode & 0o777).toBe(0o700)
  expect(statSync(path.join(folder, 'keys', 'cursor.key')).mode & 0o777).toBe(0o600)
})

test('a key that others could have written, a link or half a key is not used', () => {
  const file = path.join(folder, 'keys', 'cursor.key')
  openKeyFiles(folder).write('cursor', key)
  chmodSync(file, 0o660)
  expect(() => readKey(folder, 'cursor')).toThrow('is open to other users')
  expect(openKeyFiles(folder).holds('cursor', key)).toBe(false)
  writeFileSync(file, key.toString('hex').slice(1))
  chmodSync(file, 0o600)
  expect(readKey(folder, 'cursor')).toBeNull()
  rmSync(file)
  symlinkSync(path.join(folder, 'elsewhere'), file)
  expect(() => readKey(folder, 'cursor')).toThrow('is a symbolic link')
  rmSync(file)
  expect(() => readKey(folder, '../cursor')).toThrow('client id')
})
