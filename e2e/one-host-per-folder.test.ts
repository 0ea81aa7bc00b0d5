// Folders, and the one host that each of them has.

import { existsSync, lstatSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { startBridge } from './support/bridge.ts'
import { openDesk } from './support/desk.ts'
import { freshHome, startHost } from './support/host.ts'
import { tryHost } from './support/try-host.ts'

test('a second start hands over to the first and leaves', async () => {
  const { home, client, ready } = await openDesk()
  const bridge = await client('cursor')
  expect(await bridge.call('list_secrets')).toBe('[]')
  expect(await tryHost(home)).toMatchObject({ code: 0, said: { event: 'already running', socket: ready.socket }, stderr: '' })
  expect(await bridge.call('list_secrets')).toBe('[]')
})

test('of many started at once exactly one stays', async () => {
  for (let round = 0; round < 3; round++) {
    const home = freshHome()
    const tries = await Promise.all(Array.from({ length: 5 }, () => tryHost(home)))
    expect(tries.map(({ said }) => `${said?.event}`).toSorted()).toEqual([...Array.from({ length: 4 }, () => 'already running'), 'ready'])
    expect(tries.filter(({ code }) => code === 0)).toHaveLength(4)
  }
})

test('after a kill the next host takes the socket that was left, and clients that stayed find it', async () => {
  const { home, client, ready, stop, put } = await openDesk()
  await put({ token: 'v' })
  const bridge = await client('cursor', { reads: 'always' })
  expect(await bridge.call('get_secret', { name: 'token' })).toBe('v')
  await stop('SIGKILL')
  expect(lstatSync(ready.socket).isSocket()).toBe(true)
  const next = await startHost({ home })
  expect(next.ready).toMatchObject({ event: 'ready', socket: ready.socket, state: 'open' })
  expect(await bridge.call('get_secret', { name: 'token' })).toBe('v')
})

test('a socket path that is not ours to take is left as it is, with a sentence that names it', async () => {
  for (const makeWay of [
    (file: string) => mkdirSync(file),
    (file: string) => symlinkSync('/dev/null', file),
    (file: string) => writeFileSync(file, 'precious'),
  ]) {
    const home = freshHome()
    mkdirSync(path.join(home, 'run'), { mode: 0o700 })
    const file = path.join(home, 'run', 'host.sock')
    makeWay(file)
    const before = lstatSync(file)
    const { code, said, stderr } = await tryHost(home)
    expect({ code, said }).toEqual({ code: 1, said: null })
    expect(stderr).toContain(file)
    expect(stderr.split('\n')).toHaveLength(2)
    expect(lstatSync(file)).toMatchObject({ ino: before.ino, mode: before.mode, size: before.size })
  }
})

test('hosts of two folders on one keychain never meet', async () => {
  const [one, two] = [await openDesk(), await openDesk()]
  await one.put({ token: 'of one', alone: 'x' })
  await two.put({ token: 'of two' })
  const [first, second] = [await one.client('cursor', { reads: 'always' }), await two.client('cursor', { reads: 'always' })]
  expect(await first.call('list_secrets')).toBe('["alone","token"]')
  expect(await second.call('list_secrets')).toBe('["token"]')
  expect(await second.call('get_secret', { name: 'token' })).toBe('of two')

  const removal = first.call('remove_secret', { name: 'token' })
  await one.someone.answerNext('allow')
  expect(await removal).toBe('Removed: token')
  expect((await two.someone.ask('approvals.list')).open).toEqual([])
  expect(await second.call('get_secret', { name: 'token' })).toBe('of two')

  // The registration of one is none of the other's.
  await one.someone.ask('clients.register', { id: 'only-one', name: 'Only one', policy: 'default' })
  const lost = startBridge({ home: two.home, client: 'only-one' })
  await lost.initialize()
  expect(await lost.call('list_secrets')).toBe(
    "Error: The registration 'only-one' is missing or revoked; add this client again in Countersign.",
  )
  const secrets = new Set((await two.someone.rows()).map(({ secret }) => secret))
  expect(secrets.has('alone')).toBe(false)
  expect(statSync(one.ready.socket).ino).not.toBe(statSync(two.ready.socket).ino)
  expect(existsSync(path.join(two.home, 'keys', 'only-one.key'))).toBe(false)
})
