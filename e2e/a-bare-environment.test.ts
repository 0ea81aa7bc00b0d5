// What most AI clients hand to the programs they launch: HOME, PATH, USER and SHELL. A home and a keyring of the test's own, because
// without COUNTERSIGN_HOME everything is where it is for a person.

import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startKeyring } from '../src-main/adapters/test-keyring.ts'
import { startBridge } from './support/bridge.ts'
import { dist, enter, freshHome, startHost } from './support/host.ts'
import { machineNode as node } from './support/machine-node.ts'
import { endHostsOf, hostsOf } from './support/started-hosts.ts'

const bare = (home: string) => ({ HOME: home, PATH: '/usr/local/bin:/usr/bin:/bin', USER: 'somebody', SHELL: '/bin/sh' })

async function homeOfItsOwn() {
  const home = freshHome()
  const keyring = await startKeyring()
  onTestFinished(keyring.stop)
  onTestFinished(() => endHostsOf('HOME', home))
  const desktop: NodeJS.ProcessEnv = { ...process.env, ...keyring.env, HOME: home, COUNTERSIGN_HOME: undefined }
  return { home, desktop }
}

test('with only HOME, PATH, USER and SHELL the bridge finds the host, and can start it on the desktop it came from', async () => {
  const { home, desktop } = await homeOfItsOwn()
  const first = await startHost({ home, env: desktop })
  expect(first.ready.socket).toBe(path.join(home, '.local/share/countersign/run/host.sock'))
  const person = await first.person()
  await person.ask('policies.save', { name: 'open', description: '', allow: ['*'], deny: [], reads: 'always' })
  await person.ask('clients.register', { id: 'cursor', name: 'Cursor', policy: 'open' })
  await person.ask('secrets.store', { name: 'token', value: 'the value' })

  const found = startBridge({ home, client: 'cursor', env: bare(home), node })
  await found.initialize()
  expect(await found.call('get_secret', { name: 'token' })).toBe('the value')

  expect(await first.stop()).toBe(0)
  const starting = startBridge({ home, client: 'cursor', env: bare(home), node })
  await starting.initialize()
  expect(await starting.call('get_secret', { name: 'token' })).toBe('the value')
  expect(hostsOf('HOME', home)).toHaveLength(1)
  // The one that merely stood by has found it too.
  expect(await found.call('list_secrets')).toBe('["token"]')

  // It outlives whoever started it, and serves the next one.
  starting.process.kill('SIGKILL')
  await starting.exited
  const next = startBridge({ home, client: 'cursor', env: bare(home) })
  await next.initialize()
  expect(await next.call('get_secret', { name: 'token' })).toBe('the value')
  expect(hostsOf('HOME', home)).toHaveLength(1)
  for (const bridge of [found, next]) expect(bridge.stderr()).toBe('')
})

test('a host that a bridge starts is given nothing of what the AI client keeps in its environment', async () => {
  const { home, desktop } = await homeOfItsOwn()
  await (await startHost({ home, env: desktop })).stop()
  const bridge = startBridge({ home, env: { ...bare(home), GITHUB_TOKEN: 'not for the host', NODE_OPTIONS: '--no-warnings' } })
  await bridge.initialize()
  expect(await bridge.call('list_secrets')).toBe('[]')
  const [pid] = hostsOf('HOME', home)
  const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
  expect(environment).not.toMatch(/GITHUB_TOKEN|NODE_OPTIONS/)
  expect(environment).toContain(`DBUS_SESSION_BUS_ADDRESS=${desktop['DBUS_SESSION_BUS_ADDRESS']}`)
})

test('a start.json that another program wrote gets no code of its own run, and the host is started all the same', async () => {
  const { home, desktop } = await homeOfItsOwn()
  await (await startHost({ home, env: desktop })).stop()
  const [file, trace, script] = ['.local/share/countersign/start.json', 'ran', 'foreign.cjs'].map((name) => path.join(home, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(script, `require('node:fs').writeFileSync(${JSON.stringify(trace)}, '')`)
  const { env } = JSON.parse(readFileSync(file, 'utf8')) as { env: Record<string, string> }
  const foreign = { command: process.execPath, args: [script], env: { ...env, NODE_OPTIONS: `--require=${script}`, PATH: home } }
  writeFileSync(file, JSON.stringify(foreign), { mode: 0o600 })
  const bridge = startBridge({ home, env: bare(home) })
  await bridge.initialize()
  expect(await bridge.call('list_secrets')).toBe('[]')
  expect(existsSync(trace)).toBe(false)
})

test('where no host has ever run, the one that lies beside the bridge is started', async () => {
  const { home } = await homeOfItsOwn()
  const bridge = startBridge({ home, env: bare(home), node })
  await bridge.initialize()
  // Nobody has told it of a keychain, so it waits for a person to choose a passphrase; that it is there is what counts.
  await expect
    .poll(() => bridge.call('list_secrets'), { timeout: 30_000 })
    .toBe('Error: Countersign is not set up yet; open it, follow its first page, then repeat the call.')
  expect(hostsOf('HOME', home)).toHaveLength(1)
})

test('the Node of the machine runs the bridge, the command line and the host', async () => {
  const home = freshHome()
  const run = (args: string[]) =>
    new Promise<{ error: Error | null; stdout: string; stderr: string }>((resolve) => {
      execFile(node, args, { env: { ...process.env, COUNTERSIGN_HOME: home } }, (error, stdout, stderr) =>
        resolve({ error, stdout, stderr }),
      )
    })
  const host = await startHost({ home, node })
  expect(host.ready).toMatchObject({ event: 'ready', state: 'open' })
  const person = await enter(host.ready.url)
  await person.ask('secrets.store', { name: 'token', value: 'v' })
  const bridge = startBridge({ home, node })
  await bridge.initialize()
  expect(await bridge.call('list_secrets')).toBe('["token"]')
  expect(await run([path.join(dist, 'cli.js'), 'list'])).toEqual({ error: null, stdout: 'token\n', stderr: '' })
  expect(await host.stop()).toBe(0)
  expect(await run([path.join(dist, 'cli.js'), 'list'])).toMatchObject({ error: { code: 6 }, stdout: '' })

  // Killed, it takes the newer Node that runs in its place with it.
  const again = await startHost({ home, node })
  expect(await bridge.call('list_secrets')).toBe('["token"]')
  await again.stop('SIGKILL')
  await expect.poll(() => existsSync(`/proc/${again.ready.pid}`), { timeout: 10_000 }).toBe(false)
})
