import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { dataFolder, FolderRefused, keyFile, prepareFolder, serviceName, socketPath } from './paths.ts'

const isRoot = process.getuid?.() === 0
let folder: string

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'paths-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Root can make one; everybody else finds that root's own will do. */
function foreignFolder(): string {
  if (!isRoot) return '/usr'
  const foreign = path.join(folder, 'foreign')
  mkdirSync(foreign)
  chownSync(foreign, 12345, 12345)
  return foreign
}

describe('the data folder', () => {
  test('is found from HOME alone', () => {
    const env = { HOME: folder, XDG_DATA_HOME: '/elsewhere', XDG_RUNTIME_DIR: '/elsewhere' }
    expect(dataFolder(env)).toBe(path.join(folder, '.local/share/countersign'))
  })

  test('is the one that COUNTERSIGN_HOME names', () => {
    expect(dataFolder({ HOME: 'ignored', COUNTERSIGN_HOME: `${folder}/own/` })).toBe(path.join(folder, 'own'))
    expect(() => dataFolder({ HOME: folder, COUNTERSIGN_HOME: 'own' })).toThrow('COUNTERSIGN_HOME must be an absolute path')
  })

  test('is below the home of the account when HOME is not set', () => {
    const expected = path.join(os.userInfo().homedir, '.local/share/countersign')
    expect(dataFolder({})).toBe(expected)
    expect(dataFolder({ HOME: '' })).toBe(expected)
  })

  test.each([
    ['relative', () => 'home/me', 'must be an absolute path'],
    ['missing', () => path.join(folder, 'gone'), 'does not exist'],
    ['not ours', foreignFolder, 'belongs to another user'],
  ])('is refused with a sentence when HOME is %s', (_, home, sentence) => {
    const env = { HOME: home() }
    expect(() => dataFolder(env)).toThrow(FolderRefused)
    expect(() => dataFolder(env)).toThrow(sentence)
  })
})

describe('preparing a folder', () => {
  test('makes it 0700 whatever the umask', () => {
    const before = process.umask(0)
    try {
      const made = path.join(folder, 'a', 'b')
      prepareFolder(made)
      expect(statSync(made).mode & 0o777).toBe(0o700)
    } finally {
      process.umask(before)
    }
  })

  test('closes a folder of ours that stood open', () => {
    chmodSync(folder, 0o777)
    prepareFolder(folder)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  test('refuses a link, a file and the folder of another user, and leaves them as they are', () => {
    const link = path.join(folder, 'link')
    mkdirSync(path.join(folder, 'target'), { mode: 0o755 })
    symlinkSync(path.join(folder, 'target'), link)
    expect(() => prepareFolder(link)).toThrow('is a symbolic link')
    expect(statSync(link).mode & 0o777).toBe(0o755)
    expect(() => prepareFolder(foreignFolder())).toThrow('belongs to another user')
    expect(() => prepareFolder('/dev/null')).toThrow('is in the way')
  })
})

describe('the socket', () => {
  test('lies in the folder while its path fits, and in a short folder of the user otherwise', () => {
    expect(socketPath(folder)).toBe(path.join(folder, 'run/host.sock'))
    const long = path.join(folder, 'long-'.repeat(20))
    const short = socketPath(long)
    expect(Buffer.byteLength(short)).toBeLessThanOrEqual(103)
    expect(path.dirname(short)).toBe(`/tmp/countersign-${process.getuid?.()}`)
    expect(socketPath(`${long}x`)).not.toBe(short)
  })

  test('counts bytes, not letters', () => {
    expect(path.dirname(socketPath(path.join(folder, 'ü'.repeat(40))))).toMatch(/^\/tmp\/countersign-/)
  })

  test('is the same one for whoever reaches the folder through a link', () => {
    const long = path.join(folder, 'long-'.repeat(20))
    mkdirSync(long)
    const link = path.join(folder, 'link-'.repeat(20))
    symlinkSync(long, link)
    expect(socketPath(link)).toBe(socketPath(long))
  })
})

test('a client id that would leave the keys folder is refused', () => {
  expect(keyFile(folder, 'cursor')).toBe(path.join(folder, 'keys/cursor.key'))
  for (const id of ['../x', 'a/b', '', '.', 'A', 'a\0']) expect(() => keyFile(folder, id)).toThrow(FolderRefused)
})

test('a folder of its own has a keychain service of its own', () => {
  expect(serviceName({ HOME: folder })).toBe('Countersign')
  const own = serviceName({ COUNTERSIGN_HOME: folder })
  expect(own).toMatch(/^Countersign:[0-9a-f]{12}$/)
  expect(serviceName({ COUNTERSIGN_HOME: realpathSync(folder) })).toBe(own)
  expect(serviceName({ COUNTERSIGN_HOME: path.join(folder, 'yet-to-be-made') })).not.toBe(own)
})
