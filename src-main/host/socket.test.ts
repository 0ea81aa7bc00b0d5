import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { once } from 'node:events'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Caller } from '../../src-shared/client.ts'
import { connectHost, LinkError, RequestFailed, type HostLink } from '../link/connect.ts'
import { dial, hello, NONCE, proof, type Wire } from '../link/testing/wire.ts'
import {
  serveSocket,
  type Connection,
  type Handler,
  type Inspected,
  type Registry,
  type RequestContext,
  type SocketServer,
} from './socket.ts'

/** A busy machine has its time. */
const eventually = (look: () => void) => vi.waitFor(look, 10_000)

const KEY = Buffer.alloc(32, 1)
const NEW_KEY = Buffer.alloc(32, 2)
const CLI_KEY = Buffer.alloc(32, 3)

let folder: string
let file: string
let server: SocketServer | null
let clients: Map<string, { name: string; program: string | null; keys: { generation: number; key: Buffer }[] }>
let state: ReturnType<Registry['state']>
let peer: Inspected
let otherUsers: (number | null)[]
let requests: { connection: Connection; caller: Caller; method: string; params: unknown; context: RequestContext }[]
let opened: Connection[]
let closed: Connection[]
let troubles: (string | null)[]
const ends: { end?: () => void; close?: () => void }[] = []

const registry: Registry = {
  state: () => state,
  keysOf: (id) => clients.get(id)?.keys ?? null,
  describe: (id) => clients.get(id) ?? null,
  proved(id, generation) {
    const client = clients.get(id)
    if (client) client.keys = client.keys.filter((known) => known.generation >= generation)
  },
}

const handler: Handler = {
  opened: (connection) => void opened.push(connection),
  closed: (connection) => void closed.push(connection),
  async request(connection, method, params, context) {
    requests.push({ connection, caller: connection.caller, method, params, context })
    switch (method) {
      case 'echo':
        return params
      case 'hang':
        context.waiting('asking')
        await once(context.signal, 'abort')
        throw new Error('aborted')
      case 'large':
        return 'x'.repeat(256 * 1024)
      case 'refuse':
        throw Object.assign(new Error('no'), { fault: { code: 'refused', message: 'Not now.' } })
      default:
        throw new Error('hunter2')
    }
  },
}

async function serve(): Promise<SocketServer> {
  server = await serveSocket({
    path: file,
    registry,
    inspect: async () => peer,
    handler,
    onTrouble: (trouble) => troubles.push(trouble),
    onOtherUser: (uid) => otherUsers.push(uid),
  })
  return server
}

async function connect(client: { id: string; key: Buffer } | null, kind: 'bridge' | 'cli' = 'bridge'): Promise<HostLink> {
  const link = await connectHost({ socketPath: file, client, kind, timeoutMs: 5000 })
  ends.push(link)
  return link
}

async function wire(): Promise<Wire> {
  const made = await dial(file)
  ends.push(made)
  return made
}

const failure = async (attempt: Promise<unknown>): Promise<string> => {
  const error = await attempt.then(
    () => null,
    (reason: unknown) => reason,
  )
  return error instanceof LinkError ? error.code : String(error)
}

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'socket-'))
  file = path.join(folder, 'run', 'host.sock')
  server = null
  state = null
  peer = { steps: [], proven: false, user: 'own' }
  otherUsers = []
  clients = new Map([
    ['cursor', { name: 'Cursor', program: '/opt/cursor', keys: [{ generation: 1, key: KEY }] }],
    ['cli', { name: 'Command line', program: null, keys: [{ generation: 1, key: CLI_KEY }] }],
  ])
  requests = []
  opened = []
  closed = []
  troubles = []
})

afterEach(async () => {
  for (const one of ends.splice(0)) (one.end ?? one.close)?.()
  await server?.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('the socket file', () => {
  test('is 0600 in a folder of 0700 though the umask is 000', async () => {
    const before = process.umask(0)
    try {
      await serve()
    } finally {
      process.umask(before)
    }
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700)
    await connect(null)
  })

  test('that a killed host left behind is replaced', async () => {
    mkdirSync(path.dirname(file), { mode: 0o700 })
    const script = `require('node:net').createServer().listen(${JSON.stringify(file)}, () => process.kill(process.pid, 'SIGKILL'))`
    const { spawnSync } = await import('node:child_process')
    spawnSync(process.execPath, ['-e', script])
    expect(lstatSync(file).isSocket()).toBe(true)
    await serve()
    expect(await (await connect(null)).request('echo', 1)).toBe(1)
  })

  test.each([
    ['a symbolic link', () => symlinkSync(path.join(folder, 'elsewhere'), file), 'is a symbolic link'],
    ['a folder', () => mkdirSync(file), 'is not a socket'],
    ['a file', () => writeFileSync(file, 'precious'), 'is not a socket'],
  ])('is not bound over %s, which stays', async (_, make, sentence) => {
    mkdirSync(path.dirname(file), { mode: 0o700 })
    make()
    const before = lstatSync(file)
    await expect(serve()).rejects.toThrow(sentence)
    expect(lstatSync(file).ino).toBe(before.ino)
    expect(await failure(connect(null))).toBe('unsafe')
  })

  test.runIf(process.getuid?.() === 0)('of another user is neither bound over nor connected to', async () => {
    mkdirSync(path.dirname(file), { mode: 0o700 })
    const foreign = net.createServer().listen(file)
    await once(foreign, 'listening')
    chownSync(file, 12345, 12345)
    await expect(serve()).rejects.toThrow('belongs to another user')
    expect(await failure(connect({ id: 'cursor', key: KEY }))).toBe('unsafe')
    expect(lstatSync(file).uid).toBe(12345)
    foreign.close()
  })

  test('in a folder that is open to others is not trusted by those who connect', async () => {
    await serve()
    chmodSync(path.dirname(file), 0o755)
    expect(await failure(connect(null))).toBe('unsafe')
  })

  test('comes back when somebody deletes it, and those who are connected stay', async () => {
    await serve()
    const old = await connect(null)
    rmSync(path.dirname(file), { recursive: true })
    await vi.waitFor(async () => connect(null), { timeout: 5000, interval: 50 })
    expect(await old.request('echo', 'still here')).toBe('still here')
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('that was replaced by something else is not taken back by force', async () => {
    await serve()
    rmSync(file)
    writeFileSync(file, 'precious')
    await vi.waitFor(() => expect(troubles[0]).toMatch(/cannot reach Countersign: .*is not a socket/), { timeout: 5000 })
    await server?.close()
    server = null
    expect(readFileSync(file, 'utf8')).toBe('precious')
  })

  test('goes when the host leaves', async () => {
    await serve()
    await server?.close()
    expect(lstatSync(file, { throwIfNoEntry: false })).toBeUndefined()
    expect(await failure(connect(null))).toBe('absent')
  })
})

describe('who is let in', () => {
  test('a registered client that proves its key, under the name of its registration', async () => {
    await serve()
    const link = await connect({ id: 'cursor', key: KEY })
    expect(await link.request('echo', { a: 'ü\n😀' })).toEqual({ a: 'ü\n😀' })
    expect(requests[0]?.caller).toMatchObject({ clientId: 'cursor', clientName: 'Cursor', standing: 'new program' })
    expect(requests[0]?.connection.access).toBe('client')
  })

  test('anybody without a registration, as unverified', async () => {
    await serve()
    const link = await connect(null, 'cli')
    await link.request('echo', null)
    expect(requests[0]?.caller).toMatchObject({ clientId: '(unregistered)', standing: 'unverified' })
    expect(requests[0]?.connection.access).toBe('client')
  })

  test('the command line only with its own key', async () => {
    await serve()
    await (await connect({ id: 'cli', key: CLI_KEY }, 'cli')).request('echo', 1)
    await (await connect({ id: 'cli', key: CLI_KEY }, 'bridge')).request('echo', 2)
    await (await connect({ id: 'cursor', key: KEY }, 'cli')).request('echo', 3)
    expect(requests.map(({ connection }) => connection.access)).toEqual(['cli', 'client', 'client'])
  })

  test('is verified only when the system itself names the recorded program behind it', async () => {
    await serve()
    const step = (exe: string) => ({ pid: 1, name: 'x', exe, started: 1 })
    const standings: string[] = []
    const chains: Omit<Inspected, 'user'>[] = [
      { steps: [step('/usr/bin/node'), step('/opt/cursor')], proven: true },
      { steps: [step('/usr/bin/node'), step('/opt/cursor')], proven: false },
      { steps: [step('/opt/cursor'), step('/bin/sh')], proven: true },
      { steps: [], proven: true },
    ]
    for (const chain of chains) {
      peer = { ...chain, user: 'own' }
      await (await connect({ id: 'cursor', key: KEY })).request('echo', 1)
      const { caller } = requests.at(-1)!
      standings.push(caller.standing)
      expect(caller.peer).toEqual(chain.steps)
      expect(caller.program).toBe(chain.proven ? (chain.steps[1]?.exe ?? null) : null)
    }
    expect(standings).toEqual(['verified', 'new program', 'new program', 'new program'])
  })

  test('a program recorded meanwhile makes the open connection verified', async () => {
    peer = { steps: ['/usr/bin/node', '/opt/other'].map((exe) => ({ pid: 1, name: 'x', exe, started: 1 })), proven: true, user: 'own' }
    await serve()
    const link = await connect({ id: 'cursor', key: KEY })
    await link.request('echo', 1)
    clients.get('cursor')!.program = '/opt/other'
    await link.request('echo', 2)
    expect(requests.map(({ caller }) => caller.standing)).toEqual(['new program', 'verified'])
  })

  test('a first request waits until it is known who calls, the welcome does not', async () => {
    let tell: (found: Inspected) => void = () => undefined
    const inspect = () => new Promise<Inspected>((resolve) => (tell = resolve))
    server = await serveSocket({ path: file, registry, inspect, handler })
    const link = await connect({ id: 'cursor', key: KEY })
    const answer = link.request('echo', 1)
    await eventually(() => expect(server).not.toBeNull())
    expect(requests).toHaveLength(0)
    tell({ steps: ['/usr/bin/node', '/opt/cursor'].map((exe) => ({ pid: 1, name: 'x', exe, started: 1 })), proven: true, user: 'own' })
    await answer
    expect(requests[0]?.caller.standing).toBe('verified')
  })

  test.each([
    { who: 'a process of another user', user: { uid: 4711 }, told: [4711] },
    { who: 'a process that we may not see', user: { uid: null }, told: [null] },
    { who: 'somebody who has left already', user: 'gone' as const, told: [] },
  ])('$who is not served, whatever key it has, and outdates no key', async ({ user, told }) => {
    clients.get('cursor')!.keys.push({ generation: 0, key: NEW_KEY })
    peer = { steps: [], proven: false, user }
    await serve()
    const attempt = connect({ id: 'cursor', key: KEY }).then((link) => link.request('echo', 1))
    await expect(attempt).rejects.toThrow('Countersign ended the connection')
    expect({ requests, opened, otherUsers }).toEqual({ requests: [], opened: [], otherUsers: told })
    expect(clients.get('cursor')!.keys).toHaveLength(2)
    peer = { steps: [], proven: false, user: 'own' }
    expect(await (await connect({ id: 'cursor', key: KEY })).request('echo', 2)).toBe(2)
    expect(clients.get('cursor')!.keys).toHaveLength(1)
  })

  test.each(['locked', 'unavailable', 'damaged', 'new'] as const)('nobody while the host is %s, and it says so', async (code) => {
    await serve()
    state = { code, message: 'Later.' }
    const attempt = connect({ id: 'cursor', key: KEY })
    await expect(attempt).rejects.toThrow('Later.')
    expect(await failure(attempt)).toBe(code)
  })

  test('a program of another version hears one clear sentence', async () => {
    await serve()
    for (const v of [0, 2]) {
      const end = await wire()
      end.say(hello('cursor', 'bridge', v))
      const answer = await end.hear()
      expect(answer).toMatchObject({
        error: { code: 'version', message: expect.stringMatching(/(newer|older) than the Countersign/) as string },
      })
    }
  })
})

describe('proofs', () => {
  /** Everything a stranger sees of one try, and how long the end took. */
  async function attempt(client: string, flip: boolean, key = KEY) {
    const end = await wire()
    end.say(hello(client))
    const challenge = (await end.hear())!
    const ours = proof(key, 'client', NONCE, String(challenge['ns']))
    const begun = performance.now()
    end.say({ proof: flip ? flipped(ours) : ours, pid: 1, ppid: 1 })
    const answer = await end.hear()
    return { challenge, answer, waited: performance.now() - begun }
  }
  const flipped = (hex: string): string => (Number.parseInt(hex[0]!, 16) ^ 1).toString(16) + hex.slice(1)

  test('one flipped bit and an unknown client get the same answer, later each time', async () => {
    await serve()
    const tries = []
    for (const client of ['cursor', 'nobody']) for (let i = 0; i < 4; i++) tries.push(await attempt(client, true))
    const [first, ...rest] = tries
    for (const one of rest) {
      expect(one.answer).toEqual(first?.answer)
      expect(Object.keys(one.challenge)).toEqual(Object.keys(first!.challenge))
    }
    expect(first?.answer).toEqual({ error: { code: 'refused', message: 'This registration is missing or revoked.' } })
    for (const from of [0, 4]) expect(tries[from + 3]!.waited).toBeGreaterThan(tries[from]!.waited * 2)
    expect(requests).toHaveLength(0)
  })

  test('the right proof is let in at once, however many wrong ones came before', async () => {
    await serve()
    for (let i = 0; i < 3; i++) await attempt('cursor', true)
    expect((await attempt('cursor', false)).answer).toEqual({ welcome: true })
  })

  test('are made as the protocol says', async () => {
    await serve()
    const { challenge } = await attempt('cursor', false)
    expect(challenge['proof']).toBe(proof(KEY, 'host', NONCE, String(challenge['ns'])))
  })

  test('a proof that was seen once is worth nothing later', async () => {
    await serve()
    const end = await wire()
    end.say(hello('cursor'))
    const challenge = (await end.hear())!
    const again = await wire()
    again.say(hello('cursor'))
    await again.hear()
    again.say({ proof: proof(KEY, 'client', NONCE, String(challenge['ns'])), pid: 1, ppid: 1 })
    expect(await again.hear()).toMatchObject({ error: { code: 'refused' } })
    // Nor can the host's own proof be thrown back at it.
    end.say({ proof: challenge['proof'], pid: 1, ppid: 1 })
    expect(await end.hear()).toMatchObject({ error: { code: 'refused' } })
  })

  test('a registration that is revoked in the middle of its handshake is not let in', async () => {
    await serve()
    const end = await wire()
    end.say(hello('cursor'))
    const challenge = (await end.hear())!
    clients.get('cursor')!.keys = [{ generation: 1, key: NEW_KEY }]
    end.say({ proof: proof(KEY, 'client', NONCE, String(challenge['ns'])), pid: 1, ppid: 1 })
    expect(await end.hear()).toMatchObject({ error: { code: 'refused' } })
  })

  test('after a rotation the former key is good until the new one has been used', async () => {
    await serve()
    clients.get('cursor')!.keys = [
      { generation: 2, key: NEW_KEY },
      { generation: 1, key: KEY },
    ]
    await connect({ id: 'cursor', key: KEY })
    await connect({ id: 'cursor', key: NEW_KEY })
    expect(await failure(connect({ id: 'cursor', key: KEY }))).toBe('refused')
    expect((await attempt('cursor', false, KEY)).answer).toMatchObject({ error: { code: 'refused' } })
  })
})

describe('strangers', () => {
  test('that do not finish the handshake are cut off after 5 s', async () => {
    await serve()
    const end = await wire()
    const begun = performance.now()
    await end.closed
    expect(performance.now() - begun).toBeGreaterThan(4500)
    expect(performance.now() - begun).toBeLessThan(20_000)
  })

  test('are at most 64, and 300 of them keep no registered client out', async () => {
    await serve()
    const idle = await Promise.all(Array.from({ length: 150 }, wire))
    const unregistered = []
    for (let i = 0; i < 150; i++) unregistered.push(await connect(null))
    let left = idle.length + unregistered.length
    for (const end of idle) void end.closed.then(() => left--)
    for (const link of unregistered) link.onClose(() => left--)
    const begun = performance.now()
    const link = await connect({ id: 'cursor', key: KEY })
    expect(await link.request('echo', 1)).toBe(1)
    expect(performance.now() - begun).toBeLessThan(10_000)
    await eventually(() => expect(left).toBeLessThanOrEqual(64))
    expect(await link.request('echo', 2)).toBe(2)
  })

  test('with a call under way are not made to leave', async () => {
    await serve()
    const busy = await connect(null)
    const answer = busy.request('hang', null)
    answer.catch(() => undefined)
    await eventually(() => expect(requests).toHaveLength(1))
    await Promise.all(Array.from({ length: 100 }, wire))
    expect(await busy.request('echo', 'here')).toBe('here')
  })

  test('that send rubbish, too much or too deep are cut off, and nobody else notices', async () => {
    await serve()
    const link = await connect({ id: 'cursor', key: KEY })
    for (const rubbish of ['{', '[]', 'x'.repeat(10_000), '\xff\xfe', '{"hello":', '['.repeat(3000)]) {
      const end = await wire()
      end.say(rubbish)
      await end.closed
    }
    expect(await link.request('echo', 1)).toBe(1)
  })
})

describe('requests', () => {
  test('run side by side and are answered by their id', async () => {
    await serve()
    const link = await connect({ id: 'cursor', key: KEY })
    const answers = await Promise.all(Array.from({ length: 500 }, (_, i) => link.request('echo', i)))
    expect(answers).toEqual(Array.from({ length: 500 }, (_, i) => i))
  })

  test('that fail say what the host says, and nothing of an unexpected error', async () => {
    await serve()
    const link = await connect({ id: 'cursor', key: KEY })
    await expect(link.request('refuse', null)).rejects.toEqual(new RequestFailed({ code: 'refused', message: 'Not now.' }))
    const bug = await link.request('bug', null).catch((error: unknown) => error)
    expect(bug).toMatchObject({ fault: { code: 'internal' } })
    expect(String(bug)).not.toContain('hunter2')
  })

  test('tell of waiting for a person, and can be cancelled', async () => {
    await serve()
    const link = await connect({ id: 'cursor', key: KEY })
    const control = new AbortController()
    const told: string[] = []
    const answer = link.request('hang', null, { signal: control.signal, onWaiting: (message) => told.push(message) })
    await eventually(() => expect(told).toEqual(['asking']))
    control.abort(new Error('enough'))
    await expect(answer).rejects.toThrow('enough')
    await eventually(() => expect(requests[0]?.context.signal.aborted).toBe(true))
  })

  test('of a client that is gone are aborted', async () => {
    await serve()
    const link = await connect({ id: 'cursor', key: KEY })
    link.request('hang', null).catch(() => undefined)
    await eventually(() => expect(requests).toHaveLength(1))
    link.close()
    await eventually(() => expect(requests[0]?.context.signal.aborted).toBe(true))
    await eventually(() => expect(closed).toEqual(opened))
  })

  test('end with the registration: a revoked client is cut off with its calls', async () => {
    await serve()
    const link = await connect({ id: 'cursor', key: KEY })
    const other = await connect({ id: 'cli', key: CLI_KEY }, 'cli')
    const answer = link.request('hang', null)
    answer.catch(() => undefined)
    await eventually(() => expect(requests).toHaveLength(1))
    const begun = performance.now()
    clients.delete('cursor')
    server?.disconnect('cursor')
    await expect(answer).rejects.toMatchObject({ code: 'lost' })
    expect(performance.now() - begun).toBeLessThan(10_000)
    await eventually(() => expect(requests[0]?.context.signal.aborted).toBe(true))
    expect(await failure(connect({ id: 'cursor', key: KEY }))).toBe('refused')
    expect(await other.request('echo', 1)).toBe(1)
  })
})

describe('a client that does not read', () => {
  test('is not read from either, and gets everything once it reads again', async () => {
    await serve()
    const end = await wire()
    end.say(hello('cursor'))
    const challenge = (await end.hear())!
    end.say({ proof: proof(KEY, 'client', NONCE, String(challenge['ns'])), pid: 1, ppid: 1 })
    await end.hear()
    end.socket.pause()
    const CALLS = 400
    for (let id = 1; id <= CALLS; id++) end.say({ id, method: 'large', params: 'y'.repeat(1000) })
    const settled = async () => {
      let before = -1
      while (before !== requests.length) {
        before = requests.length
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
    await settled()
    expect(requests.length).toBeLessThan(CALLS / 2)
    const other = await connect({ id: 'cursor', key: KEY })
    expect(await other.request('echo', 1)).toBe(1)
    end.socket.resume()
    for (let i = 0; i < CALLS; i++) expect((await end.hear())?.['result']).toHaveLength(256 * 1024)
  })

  test('gets the latest of each event when it reads again', async () => {
    await serve()
    const link = await connect(null)
    await link.request('echo', 1)
    const seen: unknown[] = []
    link.onEvent((event, data) => seen.push([event, data]))
    const [connection] = opened
    for (let i = 0; i < 10; i++) connection?.send('names', { i, filler: 'z'.repeat(300_000) })
    await eventually(() => expect(JSON.stringify(seen.at(-1))).toContain('"i":9'))
    expect(seen.length).toBeLessThan(10)
  })
})
