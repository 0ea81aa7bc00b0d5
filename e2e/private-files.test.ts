import { lstatSync, mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openDesk } from './support/desk.ts'
import { freshHome } from './support/host.ts'

function modes(folder: string): Record<string, string> {
  const found: Record<string, string> = { '.': octal(folder) }
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) found[name] = octal(path.join(folder, name))
  return found
}

function octal(file: string): string {
  const stats = lstatSync(file)
  return `${stats.isDirectory() ? 'folder' : stats.isSocket() ? 'socket' : 'file'} ${(stats.mode & 0o7777).toString(8)}`
}

test('with a umask that hides nothing, every folder is 700 and every file and socket 600 all the same', async () => {
  const home = path.join(freshHome(), 'deeper')
  mkdirSync(home, { mode: 0o755 })
  const umask = process.umask(0)
  const desk = await openDesk({ home }).finally(() => process.umask(umask))
  await desk.put({ token: 'v', large: 'l'.repeat(5000) })
  const bridge = await desk.client('cursor', { reads: 'always' })
  expect(await bridge.call('get_secret', { name: 'token' })).toBe('v')
  await desk.someone.ask('audit.export', { format: 'jsonl', path: path.join(home, 'exported.jsonl') })
  await desk.someone.ask('backup.export', { path: path.join(home, 'exported.backup'), passphrase: 'correct horse battery' })

  const check = () => {
    const found = modes(home)
    expect(Object.keys(found)).toEqual(
      expect.arrayContaining(['vault.db', 'audit.db', 'lock.db', 'start.json', 'keys/cli.key', 'keys/cursor.key', 'exported.jsonl']),
    )
    for (const [name, mode] of Object.entries(found)) {
      expect(`${name}: ${mode}`).toMatch(/: (folder 700|file 600|socket 600)$/)
    }
    return found
  }
  expect(check()).toMatchObject({ '.': 'folder 700', run: 'folder 700', keys: 'folder 700', 'run/host.sock': 'socket 600' })
  await desk.stop()
  check()
})
