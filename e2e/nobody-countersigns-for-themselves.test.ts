// The whole surface of the local socket: what a bridge and the command line may ask of the host, and that answering an approval
// is not among it.

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { connectHost, RequestFailed, type HostLink } from '../src-main/link/connect.ts'
import { readKey } from '../src-main/adapters/key-files.ts'
import { contract, type RpcFault } from '../src-shared/rpc.ts'
import { TOOL_NAMES } from '../src-shared/tools.ts'
import { openDesk } from './support/desk.ts'

const METHODS = Object.keys(contract)

/** By hand, so that whoever opens another door has to come by here. */
const OF_CLIENTS = ['host.show', 'names.complete', 'resources.list', 'resources.read', 'status', 'tools.call', 'tools.rejected']
const OF_THE_COMMAND_LINE = [
  ...OF_CLIENTS,
  'audit.export',
  'audit.query',
  'audit.verify',
  // These look; what changes a registration is a call that asks.
  'registrations.list',
  'registrations.preview',
  'registrations.scan',
].toSorted()

async function connect(home: string, client: string | null, kind: 'bridge' | 'cli'): Promise<HostLink> {
  const key = client === null ? null : (readKey(home, client) ?? expect.fail(`there is no key of ${client}`))
  const link = await connectHost({
    socketPath: path.join(home, 'run', 'host.sock'),
    client: client === null || key === null ? null : { id: client, key },
    kind,
    timeoutMs: 10_000,
  })
  onTestFinished(link.close)
  return link
}

async function faultOf(link: HostLink, method: string, params: unknown = {}): Promise<RpcFault | null> {
  try {
    await link.request(method, params)
    return null
  } catch (error) {
    if (error instanceof RequestFailed) return error.fault
    throw error
  }
}

/** The methods that are not refused at the door, whatever they make of empty parameters. */
async function openTo(link: HostLink): Promise<string[]> {
  const faults = await Promise.all(METHODS.map(async (method) => ({ method, fault: await faultOf(link, method) })))
  for (const { fault } of faults.filter(({ fault }) => fault?.code === 'forbidden')) {
    expect(fault?.message).toMatch(/^'[\w.]+' is not for this connection$/)
  }
  return faults
    .filter(({ fault }) => fault?.code !== 'forbidden')
    .map(({ method }) => method)
    .toSorted()
}

describe('over the local socket', () => {
  test('a client reaches its calls and nothing else, registered or not, and whatever kind it claims to be', async () => {
    const { home, client, someone } = await openDesk()
    await client('cursor')
    for (const [id, kind] of [
      ['cursor', 'bridge'],
      ['cursor', 'cli'],
      [null, 'bridge'],
      [null, 'cli'],
      ['cli', 'bridge'],
    ] as const) {
      expect(await openTo(await connect(home, id, kind))).toEqual(OF_CLIENTS)
    }
    expect(await someone.ask('secrets.list')).toEqual([])
  })

  test('the command line reaches the log and the list of AI clients as well, and answers no approval', async () => {
    const { home } = await openDesk()
    expect(await openTo(await connect(home, 'cli', 'cli'))).toEqual(OF_THE_COMMAND_LINE)
  })

  test('names that are no methods are told apart from those that are not theirs', async () => {
    const { home } = await openDesk()
    const link = await connect(home, 'cli', 'cli')
    for (const method of ['constructor', '__proto__', 'toString', 'approvals', 'approvals.allow', '']) {
      expect(await faultOf(link, method)).toMatchObject({ code: 'unknown method' })
    }
  })

  test('an open approval cannot be seen, shown, answered or outlived by who asked for it', async () => {
    const { home, client, someone } = await openDesk()
    const bridge = await client('cursor')
    const store = bridge.call('store_secret', { name: 'token', value: 'v' })
    const [approval] = await someone.waiting(1)
    const { id, revision } = approval ?? expect.fail('nothing waits')
    const links = await Promise.all([connect(home, 'cursor', 'bridge'), connect(home, 'cli', 'cli'), connect(home, null, 'bridge')])
    const attempts: [string, object][] = [
      ['approvals.answer', { id, revision, answer: 'allow', remember: 'once' }],
      ['approvals.answer', { id, revision, answer: 'deny', remember: 'once' }],
      ['approvals.list', {}],
      ['approvals.reveal', { id }],
      ['policies.save', { name: 'default', description: '', allow: ['*'], deny: [], reads: 'always' }],
      ['secrets.store', { name: 'token', value: 'v' }],
      ['settings.set', { waitSeconds: 5 }],
      ['clients.bind', { id: 'cursor', policy: 'default' }],
    ]
    for (const link of links) {
      for (const [method, params] of attempts) expect(await faultOf(link, method, params)).toMatchObject({ code: 'forbidden' })
    }
    expect(await someone.waiting(1)).toEqual([approval])
    if (approval) await someone.answer(approval, 'deny')
    expect(await store).toBe('Error: Denied by the person')
    expect(await someone.ask('secrets.list')).toEqual([])
  })
})

describe('over the bridge', () => {
  test('there are five tools, and none of the methods of the protocol reaches an approval', async () => {
    const { client, someone } = await openDesk()
    const bridge = await client('cursor')
    const listed = (await bridge.request('tools/list')).result?.['tools'] as { name: string }[]
    expect(listed.map(({ name }) => name)).toEqual([...TOOL_NAMES])
    const store = bridge.call('store_secret', { name: 'token', value: 'v' })
    const [approval] = await someone.waiting(1)
    for (const method of METHODS) {
      const params = { id: approval?.id, revision: approval?.revision, answer: 'allow', remember: 'once' }
      if (method !== 'ping') expect((await bridge.request(method, params)).error?.code).toBe(-32601)
      expect(await bridge.call(method, params)).toBe(`Error: Unknown tool: ${method}`)
    }
    for (const tool of ['export_backup', 'import_backup']) {
      expect(await bridge.call(tool, { path: '/nowhere', passphrase: 'long enough' })).toBe(`Error: Unknown tool: ${tool}`)
    }
    expect(await someone.waiting(1)).toMatchObject([{ id: approval?.id }])
    await someone.answerNext('deny')
    await store
  })

  test('the key in our folder is all that a registration is, and no other file there opens a door', async () => {
    const { home, client } = await openDesk()
    await client('cursor')
    expect(readFileSync(path.join(home, 'keys', 'cursor.key'), 'utf8')).not.toBe(readFileSync(path.join(home, 'keys', 'cli.key'), 'utf8'))
    const wrong = connectHost({
      socketPath: path.join(home, 'run', 'host.sock'),
      client: { id: 'cli', key: readKey(home, 'cursor') ?? Buffer.alloc(32) },
      kind: 'cli',
      timeoutMs: 10_000,
    })
    await expect(wrong).rejects.toMatchObject({ code: 'refused' })
  })
})
