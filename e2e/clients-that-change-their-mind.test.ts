// Clients that leave, cancel, insist, are revoked or get another key, while a person is being asked.

import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readKey } from '../src-main/adapters/key-files.ts'
import { connectHost } from '../src-main/link/connect.ts'
import { startBridge } from './support/bridge.ts'
import { openDesk } from './support/desk.ts'

test("an unregistered client's questions end with its connection", async () => {
  const { home, someone } = await openDesk()
  const stranger = startBridge({ home })
  await stranger.initialize()
  stranger.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'store_secret', arguments: { name: 'a', value: 'x' } } })
  const [asked] = await someone.waiting(1)
  expect(asked).toMatchObject({ standing: 'unverified', clientId: '(unregistered)', mayRemember: false })
  stranger.process.kill('SIGKILL')
  await someone.waiting(0)
  expect(asked && (await someone.answer(asked, 'allow'))).toBe(false)
  expect(await someone.ask('secrets.list')).toEqual([])
})

test('a registered client that cancels leaves its question open; a late yes makes nothing, and lets the same call through once', async () => {
  const { client, someone } = await openDesk()
  const bridge = await client('cursor')
  const params = { name: 'store_secret', arguments: { name: 'a', value: 'x' } }
  bridge.send({ jsonrpc: '2.0', id: 'cancelled', method: 'tools/call', params })
  const [asked] = await someone.waiting(1)
  bridge.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'cancelled', reason: 'no patience' } })
  await expect.poll(async () => (await someone.waiting(1))[0]?.waiting).toBe(0)
  expect(asked && (await someone.answer(asked, 'allow'))).toBe(true)
  expect(await someone.ask('secrets.list')).toEqual([])
  expect(await bridge.call('store_secret', params.arguments)).toBe("Stored secret 'a'")
  expect(bridge.messages.filter(({ id }) => id === 'cancelled')).toEqual([])
  const rows = (await someone.rows()).filter(({ event, tool }) => event === 'call' && tool === 'store_secret')
  expect(rows).toMatchObject([{ outcome: 'allowed', approver: 'grant' }, { outcome: 'cancelled' }])
})

test('a hundred equal requests are one question, a hundred equal answers and a hundred entries, and one store', async () => {
  const { client, someone } = await openDesk()
  const bridge = await client('cursor')
  const stores = Array.from({ length: 100 }, () => bridge.call('store_secret', { name: 'a', value: 'x' }))
  await expect.poll(async () => (await someone.ask('approvals.list')).open.map(({ count }) => count)).toEqual([100])
  await someone.answerNext('allow')
  expect(new Set(await Promise.all(stores))).toEqual(new Set(["Stored secret 'a'"]))
  expect(await someone.ask('secrets.list')).toMatchObject([{ name: 'a', version: 1 }])
  const rows = await someone.rows()
  expect(rows.filter(({ event, outcome }) => event === 'call' && outcome === 'allowed')).toHaveLength(100)
  expect(rows.filter(({ event }) => event === 'approval.opened')).toHaveLength(1)
})

test('a revoked client hears no, its question closes, and it is not let in again', async () => {
  const { client, someone, home } = await openDesk()
  const bridge = await client('cursor')
  const key = readKey(home, 'cursor') ?? expect.fail('there is no key')
  const store = bridge.call('store_secret', { name: 'a', value: 'x' })
  await someone.waiting(1)
  await someone.ask('clients.revoke', { id: 'cursor' })
  expect((await someone.ask('approvals.list')).open).toEqual([])
  expect(await store).toBe('Error: Denied by the person')
  // Whoever calls while the connection is being ended is told to repeat the call, and nothing more.
  let told = await bridge.call('list_secrets')
  while (told.endsWith('; repeat the call.')) told = await bridge.call('list_secrets')
  expect(told).toBe("Error: The registration 'cursor' is missing or revoked; add this client again in Countersign.")
  const socketPath = path.join(home, 'run', 'host.sock')
  const again = connectHost({ socketPath, client: { id: 'cursor', key }, kind: 'bridge', timeoutMs: 10_000 })
  await expect(again).rejects.toMatchObject({ code: 'refused' })
  expect(await someone.ask('secrets.list')).toEqual([])
})

test('after a rotation the former key is good until the new one has been used', async () => {
  const { client, someone, home } = await openDesk()
  const bridge = await client('cursor')
  expect(await bridge.call('list_secrets')).toBe('[]')
  const former = readKey(home, 'cursor') ?? expect.fail('there is no key')
  const withFormer = async () => {
    const socketPath = path.join(home, 'run', 'host.sock')
    const link = await connectHost({ socketPath, client: { id: 'cursor', key: former }, kind: 'bridge', timeoutMs: 10_000 })
    onTestFinished(link.close)
    return link.request('status', {})
  }
  await someone.ask('clients.rotate', { id: 'cursor' })
  expect(readKey(home, 'cursor')?.equals(former)).toBe(false)
  expect(await withFormer()).toMatchObject({ state: 'open' })
  const renewed = startBridge({ home, client: 'cursor' })
  await renewed.initialize()
  expect(await renewed.call('list_secrets')).toBe('[]')
  await expect(withFormer()).rejects.toMatchObject({ code: 'refused' })
})

test('a policy that changes while a question is open decides it: a deny wins over a click', async () => {
  const { client, someone, put } = await openDesk()
  await put({ 'prod/db': 'v' })
  const bridge = await client('cursor', { name: 'work', reads: 'ask' })
  const read = bridge.call('get_secret', { name: 'prod/db' })
  const [asked] = await someone.waiting(1)
  await someone.ask('policies.save', { name: 'work', description: '', allow: ['*'], deny: ['prod/*'], reads: 'ask' })
  expect(await read).toBe("Error: Access denied: 'prod/db' is outside this client's policy 'work'")
  expect(asked && (await someone.answer(asked, 'allow'))).toBe(false)

  await someone.ask('policies.save', { name: 'work', description: '', allow: ['*'], deny: [], reads: 'ask' })
  const again = bridge.call('get_secret', { name: 'prod/db' })
  await someone.waiting(1)
  await someone.ask('policies.save', { name: 'work', description: '', allow: ['*'], deny: [], reads: 'always' })
  expect(await again).toBe('v')
})
