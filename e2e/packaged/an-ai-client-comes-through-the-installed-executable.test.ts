// From the first registration to the end, with the installed files alone: the app on a display, a person who answers by keys, the
// command line, and an AI client as the SDK builds them, which starts what stands in its configuration.

import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startKeyring } from '../../src-main/adapters/test-keyring.ts'
import { app, executable } from '../../scripts/packaged.ts'
import { startBridge } from '../support/bridge.ts'
import { freshHome, startHost } from '../support/host.ts'
import { startScreen, until, type Screen } from '../support/screen.ts'
import { allowOnScreen, endHostAt, hostAt, startApp } from './support/app.ts'

let screen: Screen
beforeAll(async () => {
  screen = await startScreen()
})
afterAll(() => screen.close())

interface Entry {
  command: string
  args: string[]
}

/** All that AI clients hand on. */
const bare = (home: string) => ({ HOME: home, PATH: '/usr/local/bin:/usr/bin:/bin', USER: 'somebody', SHELL: '/bin/sh' })

async function startClient({ command, args }: Entry, home: string) {
  const client = new Client({ name: 'cursor-vscode', version: '1.0.0' })
  await client.connect(new StdioClientTransport({ command, args, env: bare(home) }))
  onTestFinished(() => client.close())
  return async (tool: string, args: Record<string, unknown> = {}): Promise<string> => {
    const { content } = await client.callTool({ name: tool, arguments: args }, undefined, { timeout: 100_000 })
    return (content as { text: string }[])[0]?.text ?? ''
  }
}

test('a client is registered, stores and reads, finds the app again by starting it, and is removed without a trace', async () => {
  const home = freshHome()
  const keyring = await startKeyring()
  onTestFinished(keyring.stop)
  onTestFinished(() => endHostAt(home))
  const desktop = { ...keyring.env, HOME: home, COUNTERSIGN_HOME: undefined, XDG_CONFIG_HOME: undefined }
  const config = path.join(home, '.cursor', 'mcp.json')
  const before = '{\n  "mcpServers": { "theirs": { "command": "npx" } }\n}\n'
  mkdirSync(path.dirname(config))
  writeFileSync(config, before)
  const countersign = (...args: string[]) =>
    new Promise<string>((resolve, reject) => {
      execFile(executable, args, { env: bare(home) }, (error, stdout) => (error === null ? resolve(stdout) : reject(error)))
    })

  // The page is used later; after a desktop had the folder only its window takes a first PIN.
  const first = await startHost({ home, env: desktop })
  await first.person()
  await first.stop()
  const running = startApp({ home, screen, env: desktop })
  await running.windowOpens()
  expect(await countersign('status')).toContain('secrets are in the OS keychain')

  // What is written into the client's file is the installed executable, and nothing of this source tree.
  expect(await allowOnScreen(screen, countersign('clients', 'add', 'cursor'))).toContain('Cursor')
  const entry = (JSON.parse(readFileSync(config, 'utf8')) as { mcpServers: { countersign: Entry } }).mcpServers.countersign
  expect(entry).toEqual({ command: executable, args: ['mcp', '--client', 'cursor'] })

  const call = await startClient(entry, home)
  expect(await allowOnScreen(screen, call('store_secret', { name: 'deploy/token', value: 'kept for later' }))).toBe(
    "Stored secret 'deploy/token'",
  )
  expect(await allowOnScreen(screen, call('get_secret', { name: 'deploy/token' }))).toBe('kept for later')

  // The app has gone; whoever calls next starts it on the desktop it came from, without its window.
  expect(await running.end()).toBe(0)
  const later = await startClient(entry, home)
  await until('the app that the bridge starts', async () => (await later('list_secrets')) === '["deploy/token"]', 30_000)
  expect(hostAt(home)).toMatchObject({ program: app, words: expect.arrayContaining(['--hidden']) as string[] })

  // Before it is uninstalled, our entries go; the client's file is what it was.
  expect(await countersign('clients', 'remove', '--all', '--dry-run')).toContain('would change')
  expect(await allowOnScreen(screen, countersign('clients', 'remove', '--all'))).toContain('Cursor')
  expect(readFileSync(config, 'utf8')).toBe(before)
  expect(await countersign('clients', 'remove', '--all')).toBe('No AI client has an entry of ours.\n')
  await endHostAt(home)

  // Uninstalled; another host of the same person, from another folder, finds what is theirs.
  const host = await startHost({ home, env: desktop })
  const person = await host.person()
  await person.ask('policies.save', { name: 'open', description: '', allow: ['*'], deny: [], reads: 'always' })
  await person.ask('clients.register', { id: 'other', name: 'Other', policy: 'open' })
  const bridge = startBridge({ home, client: 'other', env: bare(home) })
  await bridge.initialize()
  expect(await bridge.call('get_secret', { name: 'deploy/token' })).toBe('kept for later')
  expect(await person.ask('audit.verify')).toMatchObject({ state: 'ok' })
})
