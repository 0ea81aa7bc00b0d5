// A keyring of the test's own, to be locked and killed under a running host.

import { expect, onTestFinished, test } from 'vitest'
import { startKeyring, type TestKeyring } from '../src-main/adapters/test-keyring.ts'
import { startBridge } from './support/bridge.ts'
import { failing, openDesk, resultOf, saying } from './support/desk.ts'
import { startHost } from './support/host.ts'
import { observed, timed } from './faults/observed.ts'

async function ownKeyring(): Promise<TestKeyring> {
  const keyring = await startKeyring()
  onTestFinished(keyring.stop)
  return keyring
}

test('a keychain that is gone is named as the reason; names and policies are served on, and values again once it is back', async () => {
  const keyring = await ownKeyring()
  const { client, someone, put } = await openDesk({ env: keyring.env })
  await put({ token: 'the value' })
  const bridge = await client('cursor', { reads: 'always' })
  expect(await bridge.call('get_secret', { name: 'token' })).toBe('the value')

  await keyring.kill()
  const gone = failing('The keychain is not available: no keyring service is running')
  const { result: read, ms } = await timed(() => resultOf(bridge, 'get_secret', { name: 'token' }))
  expect(read).toEqual(gone)
  const store = resultOf(bridge, 'store_secret', { name: 'new', value: 'x' })
  await someone.answerNext('allow')
  expect(await store).toEqual(gone)
  const removal = resultOf(bridge, 'remove_secret', { name: 'token' })
  await someone.answerNext('allow')
  expect(await removal).toEqual(gone)
  expect(await resultOf(bridge, 'test_policy', { scope: 'default', secret_name: 'token' })).toMatchObject({
    structuredContent: { allowed: true },
  })
  expect(await bridge.call('get_secret', { name: 'nowhere' })).toBe('Error: Secret not found: nowhere')
  expect((await someone.ask('status')).state).toBe('open')
  expect(await resultOf(bridge, 'list_secrets')).toEqual(saying('["token"]', { names: ['token'] }))

  await keyring.restart()
  expect(await bridge.call('get_secret', { name: 'token' })).toBe('the value')
  await someone.ask('secrets.store', { name: 'after', value: 'back again' })
  expect(await bridge.call('get_secret', { name: 'after' })).toBe('back again')
  observed({
    fault: 'keychain daemon dead',
    clientSaw: gone.content.map(({ text }) => text),
    tookMs: ms,
    limitMs: 1000,
    kept: 'the value was there again once the daemon was back, without a restart of ours',
  })
})

test('a locked keychain is told apart from an empty one', async () => {
  const keyring = await ownKeyring()
  const { client, someone, put } = await openDesk({ env: keyring.env })
  await put({ token: 'the value' })
  const bridge = await client('cursor', { reads: 'always' })

  await keyring.lock()
  const locked = failing('The keychain is locked; unlock it and try again')
  const { result: read, ms } = await timed(() => resultOf(bridge, 'get_secret', { name: 'token' }))
  expect(read).toEqual(locked)
  const store = resultOf(bridge, 'store_secret', { name: 'new', value: 'x' })
  await someone.answerNext('allow')
  expect(await store).toEqual(locked)
  expect(await resultOf(bridge, 'list_secrets')).toEqual(saying('["token"]', { names: ['token'] }))
  expect(await someone.ask('secrets.list')).toMatchObject([{ name: 'token', state: 'ok' }])

  await keyring.unlock()
  expect(await bridge.call('get_secret', { name: 'token' })).toBe('the value')
  const rows = await someone.rows()
  expect(rows.filter(({ client: by, outcome }) => by === 'cursor' && outcome === 'failed')).toHaveLength(2)
  observed({
    fault: 'keychain locked',
    clientSaw: locked.content.map(({ text }) => text),
    tookMs: ms,
    limitMs: 10_000,
    kept: 'the value was there again once it was unlocked; both failures are on record',
  })
})

test('a host that finds its keychain locked says so, and opens by itself when it is unlocked', async () => {
  const keyring = await ownKeyring()
  const first = await openDesk({ env: keyring.env })
  await first.put({ token: 'the value' })
  await first.client('cursor', { reads: 'always' })
  await first.stop()

  await keyring.lock()
  const host = await startHost({ home: first.home, env: keyring.env })
  expect(host.ready).toMatchObject({ state: 'locked', store: 'keychain' })
  const bridge = startBridge({ home: first.home, client: 'cursor' })
  await bridge.initialize()
  expect(await resultOf(bridge, 'get_secret', { name: 'token' })).toEqual(failing('The keychain is locked; unlock it and try again'))
  await keyring.unlock()
  await expect.poll(() => bridge.call('get_secret', { name: 'token' }), { timeout: 20_000, interval: 250 }).toBe('the value')
})

test('a host that finds no keychain where its secrets are says that, and opens by itself when it is there', async () => {
  const keyring = await ownKeyring()
  const first = await openDesk({ env: keyring.env })
  await first.put({ token: 'the value' })
  await first.client('cursor', { reads: 'always' })
  await first.stop()

  await keyring.kill()
  const host = await startHost({ home: first.home, env: keyring.env })
  expect(host.ready).toMatchObject({ state: 'locked', store: 'keychain' })
  const bridge = startBridge({ home: first.home, client: 'cursor' })
  await bridge.initialize()
  expect(await resultOf(bridge, 'get_secret', { name: 'token' })).toEqual(
    failing('The keychain is not available: Countersign cannot reach it; open Countersign to see what helps'),
  )
  await keyring.restart()
  await expect.poll(() => bridge.call('get_secret', { name: 'token' }), { timeout: 20_000, interval: 250 }).toBe('the value')
})

test('a name outside the policy is denied without a look into the keychain, whether it exists or not', async () => {
  const keyring = await ownKeyring()
  const { client, someone, put } = await openDesk({ env: keyring.env })
  await put({ 'prod/db': 'p', 'dev/a': 'd' })
  const bridge = await client('cursor', { name: 'dev', allow: ['dev/*'], reads: 'always' })
  // A stopped daemon answers nobody: whoever asked it would wait for ten seconds and then say so.
  process.kill(keyring.pid(), 'SIGSTOP')
  const inside = resultOf(bridge, 'get_secret', { name: 'dev/a' })
  let insideAnswered = false
  void inside.then(() => (insideAnswered = true))
  const calls = [
    ['get_secret', {}],
    ['store_secret', { value: 'x' }],
    ['store_secret', { value: 'x', force: true }],
    ['remove_secret', {}],
  ] as const
  for (const [tool, more] of calls) {
    const [there, notThere] = await Promise.all(['prod/db', 'prod/xx'].map((name) => resultOf(bridge, tool, { name, ...more })))
    expect(there).toEqual(failing("Access denied: 'prod/db' is outside this client's policy 'dev'"))
    expect(JSON.stringify(notThere)).toBe(JSON.stringify(there).replace('prod/db', 'prod/xx'))
  }
  expect(insideAnswered).toBe(false)
  expect(await inside).toEqual(failing('The keychain is not available: no answer within 10 s; it may be waiting to be unlocked'))
  process.kill(keyring.pid(), 'SIGCONT')
  await expect.poll(() => bridge.call('get_secret', { name: 'dev/a' }), { timeout: 20_000, interval: 250 }).toBe('d')

  const stories = await Promise.all(
    (await someone.rows()).filter(({ outcome }) => outcome === 'denied').map(({ lastSeq }) => someone.ask('audit.story', { seq: lastSeq })),
  )
  expect(stories).toHaveLength(8)
  // Their records differ in name, call and time alone as well.
  const told = stories.map((story) => story.map(({ rule, approver, outcome, fingerprint }) => ({ rule, approver, outcome, fingerprint })))
  expect(new Set(told.map((story) => JSON.stringify(story))).size).toBe(1)
})
