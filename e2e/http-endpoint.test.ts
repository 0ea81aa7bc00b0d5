// `/mcp` of the built host: when it is there, where, and what a person sees of it.

import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { textOf } from './support/bridge.ts'
import { cli } from './support/cli.ts'
import { openDesk } from './support/desk.ts'
import { startHost } from './support/host.ts'
import { call, modern, openHttpDesk, post } from './support/http.ts'

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = await occupied()
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function occupied(): Promise<Server> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return server
}

const status = async (url: string): Promise<number | 'nobody'> =>
  fetch(url, { method: 'POST' }).then(
    (response) => response.status,
    () => 'nobody' as const,
  )

describe('where it is', () => {
  test('H13: nowhere, until it is switched on: not on its port, and not on the page', async () => {
    const port = await freePort()
    const desk = await openDesk()
    expect(desk.ready.http).toBeNull()
    await desk.someone.ask('settings.set', { http: { enabled: false, port } })
    expect(await status(`http://127.0.0.1:${port}/mcp`)).toBe('nobody')
    expect(await status(new URL('/mcp', desk.ready.url).href)).toBe(404)
    expect((await desk.someone.ask('status')).http).toBeNull()

    await desk.someone.ask('settings.set', { http: { enabled: true, port } })
    await expect.poll(() => status(`http://127.0.0.1:${port}/mcp`)).toBe(401)
    expect((await desk.someone.ask('status')).http).toEqual({ url: `http://127.0.0.1:${port}/mcp` })
    expect(await status(new URL('/mcp', desk.ready.url).href)).toBe(404)
    const other = await freePort()
    await desk.someone.ask('settings.set', { http: { enabled: true, port: other } })
    await expect.poll(() => status(`http://127.0.0.1:${other}/mcp`)).toBe(401)
    expect(await status(`http://127.0.0.1:${port}/mcp`)).toBe('nobody')
    await desk.someone.ask('settings.set', { http: { enabled: false, port: other } })
    await expect.poll(() => status(`http://127.0.0.1:${other}/mcp`)).toBe('nobody')
    // A port that is closed already may have its entry a moment later.
    const events = async () =>
      (await desk.someone.rows()).map(({ event }) => event).filter((event) => /^http\.(opened|closed)$/.test(event))
    await expect.poll(async () => (await events()).toReversed()).toEqual(['http.opened', 'http.opened', 'http.closed'])
  })

  test('stays on over a restart, where the person has switched it on', async () => {
    const port = await freePort()
    const desk = await openDesk()
    await desk.someone.ask('settings.set', { http: { enabled: true, port } })
    const { token } = await desk.someone.ask('tokens.add', { id: 'x', name: 'x', policy: 'default' })
    await desk.stop()
    const again = await startHost({ home: desk.home })
    expect(again.ready.http).toEqual({ url: `http://127.0.0.1:${port}/mcp` })
    expect((await post(`http://127.0.0.1:${port}/mcp`, token, PING)).status).toBe(200)
  })

  test('a port that is taken is said, and no other is taken in its place', async () => {
    const blocker = await occupied()
    const { port } = blocker.address() as AddressInfo
    const trouble = `HTTP is not served: port ${port} is in use by another program.`
    const desk = await openDesk({ args: ['--http', String(port)] })
    expect(desk.ready.http).toEqual({ trouble })
    expect(desk.stderr()).toContain(trouble)
    expect((await desk.someone.ask('status')).http).toEqual({ trouble })
    expect((await cli(desk.home, ['status'])).stdout).toContain(trouble)
    // The bridge and the page go on, and so does HTTP once the port is free and somebody sets it again.
    expect(await (await desk.client('cursor')).call('list_secrets')).toBe('[]')
    await new Promise((resolve) => blocker.close(resolve))
    await desk.someone.ask('settings.set', { waitSeconds: 30 })
    await expect.poll(async () => (await desk.someone.ask('status')).http).toEqual({ url: `http://127.0.0.1:${port}/mcp` })
    expect((await cli(desk.home, ['status'])).stdout).toContain(`MCP over HTTP: http://127.0.0.1:${port}/mcp`)
  })

  test('it leaves with the host, at once, whoever is listening', async () => {
    const desk = await openHttpDesk()
    const listen = modern('subscriptions/listen', { notifications: { resourcesListChanged: true } })
    const begun = Promise.withResolvers<void>()
    const stream = post(desk.mcp, desk.token, listen.body, { headers: listen.headers, onMessage: () => begun.resolve() })
    await begun.promise
    const began = performance.now()
    expect(await desk.stop()).toBe(0)
    expect(performance.now() - began).toBeLessThan(5000)
    expect((await stream).messages.at(-1)).toMatchObject({ id: 1, result: { resultType: 'complete' } })
  })
})

describe('a program and a person', () => {
  test('a store asks the same prompt, streams signs of life, and is done when the person allows it', async () => {
    const desk = await openHttpDesk()
    const store = post(desk.mcp, desk.token, call('store_secret', { name: 'a/key', value: 'v-1' }, 'x', { progressToken: 't' }), {
      headers: { 'mcp-protocol-version': '2025-11-25', 'user-agent': 'some program/1' },
    })
    const approval = await desk.someone.answerNext('allow')
    expect(approval).toMatchObject({
      clientId: 'http',
      clientName: 'A program',
      tool: 'store_secret',
      secret: 'a/key',
      says: 'some program/1',
    })
    // The test is the program: the process that holds the connection is found.
    expect(approval.peer[0]).toMatchObject({ pid: process.pid, exe: process.execPath })
    const { status: code, type, messages } = await store
    expect([code, type]).toEqual([200, 'text/event-stream'])
    expect(messages[0]).toMatchObject({ method: 'notifications/progress', params: { progressToken: 't' } })
    expect(textOf(messages.at(-1)!)).toBe("Stored secret 'a/key'")
    const get = await post(desk.mcp, desk.token, call('get_secret', { name: 'a/key' }))
    expect([get.type, textOf(get.messages[0]!)]).toEqual(['application/json', 'v-1'])
    expect((await desk.someone.ask('clients.list')).find(({ id }) => id === 'http')).toMatchObject({
      program: process.execPath,
      via: 'http',
    })
  })

  test('closing the stream takes the call back: a late allow does nothing but let the same call through once', async () => {
    const desk = await openHttpDesk()
    const control = new AbortController()
    const body = call('store_secret', { name: 'a/key', value: 'v-1' }, 1, { progressToken: 1 })
    const leaving = post(desk.mcp, desk.token, body, { signal: control.signal, onMessage: () => control.abort() })
    await expect(leaving).rejects.toThrow()
    await expect.poll(async () => (await desk.someone.waiting(1))[0]?.waiting).toBe(0)
    await desk.someone.answerNext('allow')
    expect(await desk.someone.ask('secrets.list')).toEqual([])
    expect(textOf((await post(desk.mcp, desk.token, body)).messages.at(-1)!)).toBe("Stored secret 'a/key'")
  })

  test('a token comes from the command line only with a person’s consent, and goes the same way', async () => {
    const desk = await openHttpDesk()
    const making = cli(desk.home, ['clients', 'token', 'add', 'ci', '--name', 'Build machine', '--policy', 'http', '--json'])
    expect(await desk.someone.answerNext('allow')).toMatchObject({
      clientId: 'cli',
      tool: 'add_token',
      token: { client: 'ci', policy: 'http' },
    })
    const made = await making
    const { token } = JSON.parse(made.stdout) as { token: string }
    expect([made.code, token]).toEqual([0, expect.stringMatching(/^cs_/)])
    expect((await post(desk.mcp, token, PING)).status).toBe(200)

    const listed = await cli(desk.home, ['clients', 'token', 'list'])
    expect(listed.stdout).toMatch(/^ci +Build machine +http /m)
    expect(listed.stdout).not.toContain(token)
    expect((await cli(desk.home, ['clients', 'token', 'add', 'ci'])).code).toBe(5)
    expect((await cli(desk.home, ['clients', 'token', 'revoke', 'nobody'])).code).toBe(3)

    const rotating = cli(desk.home, ['clients', 'token', 'rotate', 'ci'])
    await desk.someone.answerNext('allow')
    const rotated = await rotating
    expect(rotated.stderr).toContain('never again')
    expect((await post(desk.mcp, rotated.stdout.trim(), PING)).status).toBe(200)
    expect((await post(desk.mcp, token, PING)).status).toBe(401)

    const denied = cli(desk.home, ['clients', 'token', 'revoke', 'ci'])
    await desk.someone.answerNext('deny')
    expect((await denied).code).toBe(4)
    const revoking = cli(desk.home, ['clients', 'token', 'revoke', 'ci'])
    await desk.someone.answerNext('allow')
    expect((await revoking).code).toBe(0)
    expect((await post(desk.mcp, rotated.stdout.trim(), PING)).status).toBe(401)
  })

  test('programs and bridges side by side, with equal ids, each get their own answers', async () => {
    const desk = await openHttpDesk()
    const bridges = await Promise.all(['one', 'two'].map((id) => desk.client(id, { reads: 'always', allow: [`${id}/*`] })))
    await desk.someone.ask('policies.save', { name: 'three', description: '', allow: ['three/*'], deny: [], reads: 'always' })
    const { token } = await desk.someone.ask('tokens.add', { id: 'three', name: 'three', policy: 'three' })
    for (const id of ['one', 'two', 'three', 'four']) await desk.someone.ask('secrets.store', { name: `${id}/key`, value: `of ${id}` })
    const asked = Array.from({ length: 50 }, async () => [
      await bridges[0]!.call('get_secret', { name: 'one/key' }),
      await bridges[1]!.call('get_secret', { name: 'two/key' }),
      textOf((await post(desk.mcp, token, call('get_secret', { name: 'three/key' }))).messages[0]!),
      textOf((await post(desk.mcp, desk.token, call('get_secret', { name: 'four/key' }))).messages[0]!),
    ])
    for (const answers of await Promise.all(asked)) expect(answers).toEqual(['of one', 'of two', 'of three', 'of four'])
  })
})

test('nothing that comes over HTTP can answer an approval, or reach what a window reaches', async () => {
  const desk = await openHttpDesk()
  const waiting = post(desk.mcp, desk.token, call('store_secret', { name: 'a', value: 'b' }))
  const [approval] = await desk.someone.waiting(1)
  const params = { id: approval!.id, revision: approval!.revision, answer: 'allow' }
  const methods = [
    'approvals.answer',
    'approvals/answer',
    'approvals.list',
    'secrets.reveal',
    'tokens.add',
    'settings.set',
    'tools.call',
    'host.pause',
  ]
  for (const method of methods) {
    const { messages } = await post(desk.mcp, desk.token, { jsonrpc: '2.0', id: 1, method, params })
    expect(messages[0]?.error?.code).toBe(-32601)
    expect(textOf((await post(desk.mcp, desk.token, call(method, params))).messages[0]!)).toBe(`Error: Unknown tool: ${method}`)
  }
  await desk.someone.answerNext('deny')
  expect(textOf((await waiting).messages[0]!)).toBe('Error: Denied by the person')
})
