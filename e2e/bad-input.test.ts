// Bad input on the standard input of a real bridge: one clear error each, and the next message is served.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startBridge, textOf, type RunningBridge } from './support/bridge.ts'
import { openDesk } from './support/desk.ts'
import { freshHome } from './support/host.ts'

const noHost = () => startBridge({ home: freshHome() })
const errors = ({ messages }: RunningBridge) => messages.filter(({ error }) => error !== undefined)
const ping = async (bridge: RunningBridge) => expect((await bridge.request('ping')).result).toEqual({})

/** Writes a large piece as fast as the bridge takes it. */
const flood = (bridge: RunningBridge, data: Buffer) =>
  new Promise<void>((resolve, reject) => bridge.process.stdin?.write(data, (error) => (error ? reject(error) : resolve())))

const memoryPeak = (pid: number | undefined) => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

test('half a message is a parse error and no end', async () => {
  const bridge = noHost()
  bridge.write('{"jsonrpc":\n{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
  await bridge.find(({ id }) => id === 1)
  expect(bridge.messages.map(({ id, result, error }) => ({ id, result, code: error?.code }))).toEqual([
    { id: null, result: undefined, code: -32700 },
    { id: 1, result: {}, code: undefined },
  ])
})

test('a hundred megabytes without a line feed are one error, and cost neither memory nor the next message', async () => {
  const bridge = noHost()
  await ping(bridge)
  const before = memoryPeak(bridge.process.pid)
  const piece = Buffer.alloc(1024 * 1024, 'a')
  for (let i = 0; i < 100; i++) await flood(bridge, piece)
  bridge.write('\n')
  await ping(bridge)
  expect(errors(bridge)).toEqual([
    { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid Request', data: 'The message is longer than 1 MiB' } },
  ])
  expect(memoryPeak(bridge.process.pid) - before).toBeLessThan(32)
})

test('a name that is not UTF-8 is looked up nowhere', async () => {
  const { client, someone } = await openDesk()
  const bridge = await client('cursor', { reads: 'always' })
  const [head, tail] = ['{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"get_secret","arguments":{"name":"a', '"}}}\n']
  bridge.write(Buffer.concat([Buffer.from(head), Buffer.from([0xff, 0xfe]), Buffer.from(tail)]))
  await ping(bridge)
  expect(errors(bridge)).toMatchObject([{ id: null, error: { code: -32700 } }])
  await expect
    .poll(async () => (await someone.rows()).filter(({ event }) => event === 'call'))
    .toMatchObject([{ client: 'cursor', tool: null, secret: null, outcome: 'rejected' }])
})

test('deep nesting is refused before anything is built from it', async () => {
  const bridge = noHost()
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  bridge.write(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_secret","arguments":${deep}}}\n`)
  bridge.write(`${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}\n`)
  await ping(bridge)
  expect(errors(bridge).map(({ error }) => error?.code)).toEqual([-32600, -32600])
})

test('of a name given twice one is decided, asked about, fetched and recorded', async () => {
  const { client, someone, put } = await openDesk()
  await put({ 'dev/a': 'of dev', 'prod/b': 'of prod' })
  const bridge = await client('cursor', { name: 'dev', allow: ['dev/*'], reads: 'ask' })
  const call = (id: number, names: string[]) => {
    const twice = names.map((name) => `"name":"${name}"`).join(',')
    bridge.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"get_secret","arguments":{${twice}}}}\n`)
    return bridge.find((message) => message.id === id)
  }
  expect(textOf(await call(1, ['dev/a', 'prod/b']))).toBe("Error: Access denied: 'prod/b' is outside this client's policy 'dev'")
  const allowed = call(2, ['prod/b', 'dev/a'])
  expect(await someone.answerNext('allow')).toMatchObject({ secret: 'dev/a' })
  expect(textOf(await allowed)).toBe('of dev')
  const calls = (await someone.rows()).filter(({ event, client: by }) => event === 'call' && by === 'cursor')
  expect(calls).toMatchObject([
    { secret: 'dev/a', outcome: 'allowed' },
    { secret: 'prod/b', outcome: 'denied' },
  ])
})

test('ids come back as they were sent, and what is no id is refused', async () => {
  const bridge = noHost()
  for (const id of ['1', '"1"', '1.5', '0', '-7', '""', '"é"', '9007199254740991']) {
    bridge.write(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`)
  }
  for (const id of ['null', '{}', '[]', 'true', 'false', '9007199254740993', '1e400']) {
    bridge.write(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`)
  }
  await ping(bridge)
  expect(bridge.messages.filter(({ result }) => result).map(({ id }) => id)).toEqual([1, '1', 1.5, 0, -7, '', 'é', 9007199254740991, 'r1'])
  const refused = errors(bridge)
  expect(refused.map(({ id, error }) => ({ id, code: error?.code }))).toEqual(Array.from({ length: 7 }, () => ({ id: null, code: -32600 })))
})

test('line ends of any kind, blank lines and spaces are no trouble; a byte order mark is none that lasts', async () => {
  const bridge = noHost()
  const message = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`
  bridge.write(`${message(1)}\r\n\r\n\n   \n\t${message(2)}  \n`)
  await bridge.find(({ id }) => id === 2)
  expect(bridge.messages).toEqual([1, 2].map((id) => ({ jsonrpc: '2.0', id, result: {} })))
  bridge.write(`\uFEFF${message(3)}\n`)
  await ping(bridge)
  expect(bridge.messages.slice(2, -1)).toHaveLength(1)
})

test('a message in many small pieces, and many messages in one piece, are the same to it', async () => {
  const bridge = noHost()
  const line = Buffer.from('{"jsonrpc":"2.0","id":"🔑é","method":"ping"}\n')
  for (const byte of line) await flood(bridge, Buffer.of(byte))
  await bridge.find(({ id }) => id === '🔑é')
  bridge.write(Array.from({ length: 500 }, (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`).join(''))
  await bridge.find(({ id }) => id === 499)
  expect(bridge.messages).toHaveLength(501)
  expect(errors(bridge)).toEqual([])
})

test('a call before the handshake is served as in the oldest revision, and a tool nobody knows is on record', async () => {
  const { client, home, someone } = await openDesk()
  await client('other')
  await someone.ask('clients.register', { id: 'early', name: 'early', policy: 'default' })
  const bridge = startBridge({ home, client: 'early' })
  const { result } = await bridge.request('tools/call', { name: 'list_secrets' })
  expect(result).toEqual({ content: [{ type: 'text', text: '[]' }] })
  expect((await bridge.request('no/such')).error).toMatchObject({ code: -32601 })
  expect((await bridge.request('tools/call', { name: 'approve' })).result).toEqual({
    content: [{ type: 'text', text: 'Error: Unknown tool: approve' }],
    isError: true,
  })
  expect((await bridge.request('tools/call', { name: 'get_secret', arguments: {} })).error).toMatchObject({ code: -32602 })
  const calls = (await someone.rows()).filter(({ client: by }) => by === 'early')
  expect(calls).toMatchObject([
    { tool: 'get_secret', outcome: 'rejected' },
    { tool: 'approve', outcome: 'rejected' },
    { tool: 'list_secrets', outcome: 'allowed' },
  ])
})
