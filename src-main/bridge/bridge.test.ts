import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { NOT_RUNNING, texts } from '../../src-shared/texts.ts'
import { socketPath } from '../adapters/paths.ts'
import { writeStartCommand } from '../adapters/start-command.ts'
import { wireOf } from '../link/testing/wire.ts'
import { REPEAT_READ } from './sentences.ts'
import { bare, bridgeScript, folderIn, installedHost, kill, makeHome, notes, startBridge, startTestHost } from './testing/session.ts'

const CURSOR = ['--client', 'cursor']
const callsOf = (home: string) => notes(home).filter(({ method }) => method === 'tools.call')

describe('without a host', () => {
  test('handshake, tools/list and ping are answered, and a call says what to do after 3 s', async () => {
    const bridge = startBridge(makeHome())
    const hello = await bridge.ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    })
    expect(hello.result).toMatchObject({ protocolVersion: '2025-11-25', serverInfo: { name: 'countersign' } })
    expect((await bridge.ask('tools/list')).result?.['tools']).toHaveLength(5)
    expect((await bridge.ask('ping')).result).toEqual({})
    const begun = performance.now()
    expect(await bridge.call('get_secret', { name: 'a' })).toBe(`Error: ${NOT_RUNNING}`)
    expect(performance.now() - begun).toBeGreaterThan(2500)
    expect(performance.now() - begun).toBeLessThan(15_000)
  })

  test('a host that comes late is found by the call that waits and by those after it', async () => {
    const home = makeHome()
    const host = await startTestHost(home, { TEST_HOST_WAITS: '1' })
    const bridge = startBridge(home)
    await bridge.ask('ping')
    const early = bridge.call('list_secrets', {})
    await bridge.ask('ping')
    host.stdin?.write('come')
    expect(await early).toBe('list_secrets of nothing')
    expect(await bridge.call('get_secret', { name: 'a' })).toBe('get_secret of a')
  })

  test.each([
    ['is relative', () => 'home/me', 'HOME must be an absolute path'],
    ['is missing', () => '/nonexistent/home', 'does not exist'],
  ])('whose HOME %s it refuses with a sentence', async (_, home, sentence) => {
    const bridge = startBridge(home())
    expect((await bridge.ask('ping')).result).toEqual({})
    expect(await bridge.call('list_secrets', {})).toContain(sentence)
  })
})

describe('starting the host', () => {
  test('it starts the host as the host left word, and the first call gets through', async () => {
    const home = makeHome()
    const env = { ...bare(home), DISPLAY: ':7', NODE_OPTIONS: '--bad' }
    writeStartCommand(folderIn(home), process.execPath, [installedHost], env)
    const bridge = startBridge(home, [], { NODE_NO_WARNINGS: '1', SECRET_TOKEN: 'x' })
    expect(await bridge.call('get_secret', { name: 'a' })).toBe('get_secret of a')
    const [call] = callsOf(home)
    expect(call?.chain?.[0]).toBe(bridge.child.pid)
    expect(call?.chain?.[1]).toBe(process.pid)
    bridge.child.stdin?.end()
    await bridge.gone
    // It outlives its starter; the next bridge finds it there.
    const next = startBridge(home)
    expect(await next.call('get_secret', { name: 'die' })).toBe(`Error: ${REPEAT_READ}`)
  })

  test('a word that others could have left is not followed', async () => {
    const home = makeHome()
    writeStartCommand(folderIn(home), process.execPath, [installedHost], bare(home))
    chmodSync(path.join(folderIn(home), 'start.json'), 0o666)
    const bridge = startBridge(home, [], {})
    expect(await bridge.call('get_secret', { name: 'a' })).toBe(`Error: ${NOT_RUNNING}`)
    expect(bridge.stderr()).toContain('is open to other users')
  })

  test('a host that was quit is not called back until somebody calls', async () => {
    const home = makeHome()
    writeStartCommand(folderIn(home), process.execPath, [installedHost], bare(home))
    const host = await startTestHost(home)
    const bridge = startBridge(home, [], {})
    await bridge.call('get_secret', { name: 'a' })
    const exit = once(host, 'exit')
    host.stdin?.end()
    await exit
    const starts = () => notes(home).filter(({ started }) => started !== undefined).length
    await expect(vi.waitFor(() => expect(starts()).toBe(2), { timeout: 1500 })).rejects.toThrow()
    // On a busy machine the host may take longer than a call waits; the next one finds it.
    await vi.waitFor(async () => expect(await bridge.call('get_secret', { name: 'b' })).toBe('get_secret of b'), { timeout: 20_000 })
    expect(await bridge.call('get_secret', { name: 'die' })).toBe(`Error: ${REPEAT_READ}`)
  })
})

describe('with a host', () => {
  test('a registered bridge is known by its registration, another is not', async () => {
    const home = makeHome()
    await startTestHost(home)
    await startBridge(home, ['mcp', ...CURSOR]).call('get_secret', { name: 'a' })
    await startBridge(home).call('get_secret', { name: 'b' })
    expect(callsOf(home).map(({ client }) => client)).toEqual(['cursor', '(unregistered)'])
  })

  test('a home whose path is too long for a socket is served all the same', async () => {
    const home = path.join(makeHome(), 'long-'.repeat(20))
    mkdirSync(home)
    const host = await startTestHost(home)
    expect(await startBridge(home, CURSOR).call('get_secret', { name: 'a' })).toBe('get_secret of a')
    await kill(host)
    rmSync(socketPath(folderIn(home)))
  })

  test('a registration without a key, or with one that others could have written, reaches nobody', async () => {
    const home = makeHome()
    await startTestHost(home)
    const missing = startBridge(home, ['--client', 'claude'])
    expect(await missing.call('get_secret', { name: 'a' })).toBe(
      "Error: The registration 'claude' is missing or revoked; add this client again in Countersign.",
    )
    const odd = startBridge(home, ['--client', '../../etc/passwd'])
    expect(await odd.call('get_secret', { name: 'a' })).toContain('is missing or revoked')
    chmodSync(path.join(folderIn(home), 'keys', 'cursor.key'), 0o644)
    expect(await startBridge(home, CURSOR).call('get_secret', { name: 'a' })).toContain('is open to other users')
    const file = path.join(folderIn(home), 'keys', 'cursor.key')
    rmSync(file)
    symlinkSync('/dev/zero', file)
    expect(await startBridge(home, CURSOR).call('get_secret', { name: 'a' })).toContain('is a symbolic link')
    expect(callsOf(home)).toHaveLength(0)
  })

  test('a key that is replaced while its bridge connects is read again', async () => {
    const home = makeHome()
    await startTestHost(home, { TEST_HOST_ROTATES: '1' })
    writeFileSync(path.join(folderIn(home), 'keys', 'cursor.key'), '00'.repeat(32))
    expect(await startBridge(home, CURSOR).call('get_secret', { name: 'a' })).toBe('get_secret of a')
  })

  test('a key that the host does not know reaches nobody', async () => {
    const home = makeHome()
    await startTestHost(home)
    writeFileSync(path.join(folderIn(home), 'keys', 'cursor.key'), '00'.repeat(32))
    expect(await startBridge(home, CURSOR).call('store_secret', { name: 'a', value: 'v' })).toContain('is missing or revoked')
    expect(callsOf(home)).toHaveLength(0)
  })

  test.each([
    ['locked', texts.keychainLocked],
    ['damaged', texts.damaged],
    ['new', 'Countersign is not set up yet'],
  ])('that is %s, a call says so in our own words', async (state, sentence) => {
    const home = makeHome()
    await startTestHost(home, { TEST_HOST_STATE: state })
    const text = await startBridge(home, CURSOR).call('get_secret', { name: 'a' })
    expect(text).toContain(sentence)
    expect(text).not.toContain('IGNORE')
  })

  test('waiting, cancelling and changed names pass through', async () => {
    const home = makeHome()
    await startTestHost(home)
    const bridge = startBridge(home, CURSOR)
    await bridge.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } })
    bridge.say({ jsonrpc: '2.0', method: 'notifications/initialized' })
    const params = { name: 'store_secret', arguments: { name: 'hang', value: 'v' }, _meta: { progressToken: 'p' } }
    bridge.say({ jsonrpc: '2.0', id: 'h', method: 'tools/call', params })
    const progress = await bridge.next(({ method }) => method === 'notifications/progress')
    expect(progress.params).toMatchObject({ progressToken: 'p', message: 'Waiting for approval' })
    bridge.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'h' } })
    await vi.waitFor(() => expect(notes(home)).toContainEqual({ cancelled: 'store_secret' }), { timeout: 10_000 })
    expect(await bridge.call('get_secret', { name: 'rename' })).toBe('renamed')
    await bridge.next(({ method }) => method === 'notifications/resources/list_changed')
    expect(await bridge.call('get_secret', { name: 'refuse' })).toBe('Error: Not now.')
    expect(bridge.heard.some(({ id }) => id === 'h')).toBe(false)
  })

  test('a store_secret that comes as a notification is on record and not made', async () => {
    const home = makeHome()
    await startTestHost(home)
    const bridge = startBridge(home, CURSOR)
    bridge.say({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'store_secret', arguments: { name: 'a', value: 'sentinel' } } })
    await vi.waitFor(() => expect(notes(home)).toHaveLength(2), { timeout: 10_000 })
    const [, note] = notes(home)
    expect(note?.method).toBe('tools.rejected')
    expect(JSON.stringify(note)).not.toContain('sentinel')
    expect(bridge.heard).toEqual([])
  })

  test('broken lines get an error each, and the line after is served', async () => {
    const home = makeHome()
    await startTestHost(home)
    const bridge = startBridge(home, CURSOR)
    bridge.say('{"jsonrpc":')
    bridge.say(
      Buffer.from(
        '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"get_secret","arguments":{"name":"\xff\xfe"}}}\n',
        'latin1',
      ),
    )
    for (let i = 0; i < 110; i++) bridge.say(Buffer.alloc(1 << 20, 'x'))
    bridge.say('\n')
    bridge.say(`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"get_secret","arguments":${'['.repeat(100_000)}}}`)
    bridge.say('\r\n   \r\n')
    expect((await bridge.ask('ping')).result).toEqual({})
    expect(bridge.heard.slice(0, 4).map(({ error, id }) => [error?.code, id])).toEqual([
      [-32700, null],
      [-32700, null],
      [-32600, null],
      [-32600, null],
    ])
    expect(await bridge.call('get_secret', { name: 'a' })).toBe('get_secret of a')
    expect(callsOf(home)).toHaveLength(1)
  })

  test('it says nothing on stdout but the protocol, whatever arguments it is given', async () => {
    const bridge = startBridge(makeHome(), ['mcp', '--verbose', '--client=cursor', 'x'])
    expect((await bridge.ask('ping')).result).toEqual({})
    expect(bridge.stderr()).toContain('ignoring the argument "--verbose"')
    expect(bridge.stderr()).toContain('ignoring the argument "x"')
    expect(bridge.heard).toHaveLength(1)
  })
})

describe('when the host dies', () => {
  test('every pending call gets an error within 2 s, nothing is sent twice, and later calls find the next host', async () => {
    const home = makeHome()
    const host = await startTestHost(home)
    const bridge = startBridge(home, CURSOR)
    const read = bridge.call('get_secret', { name: 'hang' })
    const write = bridge.call('store_secret', { name: 'hang', value: 'v' })
    const removal = bridge.call('remove_secret', { name: 'hang' })
    await vi.waitFor(() => expect(callsOf(home)).toHaveLength(3), { timeout: 10_000 })
    const begun = performance.now()
    await kill(host)
    expect(await Promise.all([read, write, removal])).toEqual([
      `Error: ${REPEAT_READ}`,
      `Error: ${texts.interrupted}`,
      `Error: ${texts.interrupted}`,
    ])
    expect(performance.now() - begun).toBeLessThan(20_000)
    await startTestHost(home)
    expect(await bridge.call('get_secret', { name: 'b' })).toBe('get_secret of b')
    expect(callsOf(home)).toHaveLength(4)
  })

  test('the bridge is back on its own within a second of the next host, and tells that names may have changed', async () => {
    const home = makeHome()
    const host = await startTestHost(home)
    const bridge = startBridge(home, CURSOR)
    await bridge.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } })
    bridge.say({ jsonrpc: '2.0', method: 'notifications/initialized' })
    await bridge.call('get_secret', { name: 'a' })
    await kill(host)
    await startTestHost(home)
    const begun = performance.now()
    await bridge.next(({ method }) => method === 'notifications/resources/list_changed')
    expect(performance.now() - begun).toBeLessThan(10_000)
  })

  test('a host that hangs is told apart from one that is not there', async () => {
    const home = makeHome()
    const host = await startTestHost(home)
    host.kill('SIGSTOP')
    const bridge = startBridge(home, CURSOR)
    expect(await bridge.call('get_secret', { name: 'a' })).toBe('Error: Countersign does not answer; restart it, then repeat the call.')
    host.kill('SIGCONT')
    expect(await bridge.call('get_secret', { name: 'b' })).toBe('get_secret of b')
  })
})

test('an impostor that listens in the place of the host is sent no call', async () => {
  const home = makeHome()
  const host = await startTestHost(home)
  await kill(host)
  const socket = path.join(folderIn(home), 'run', 'host.sock')
  rmSync(socket)
  const heard: unknown[] = []
  const impostor = net.createServer((connection) => {
    const wire = wireOf(connection)
    void (async () => {
      heard.push(await wire.hear())
      wire.say({ ns: '00'.repeat(32), proof: '00'.repeat(32), former: null })
      heard.push(await wire.hear())
    })()
  })
  impostor.listen(socket)
  await once(impostor, 'listening')
  const bridge = startBridge(home, CURSOR)
  expect(await bridge.call('store_secret', { name: 'a', value: 'sentinel' })).toContain('is missing or revoked')
  await kill(bridge.child)
  await vi.waitFor(() => expect(heard.length % 2).toBe(0), 10_000)
  impostor.close()
  expect(JSON.stringify(heard)).not.toContain('sentinel')
  expect(heard.filter((_, i) => i % 2 === 1).every((second) => second === null)).toBe(true)
})

/** An AI client that is about to be killed: it launches a bridge, and tells its pid once the bridge has answered. */
const CLIENT = `
  const bridge = require('node:child_process').spawn(process.execPath, [process.argv[1]], { stdio: ['pipe', 'pipe', 'ignore'] })
  bridge.stdout.once('data', () => process.stdout.write(String(bridge.pid)))
  bridge.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\\n')
`

describe('leaving', () => {
  const within = async (gone: Promise<number | string>, ms: number) => {
    const begun = performance.now()
    const how = await gone
    expect(performance.now() - begun).toBeLessThan(ms)
    return how
  }

  test('at the end of its input, without a pending call', async () => {
    const bridge = startBridge(makeHome())
    await bridge.ask('ping')
    bridge.child.stdin?.end()
    expect(await within(bridge.gone, 10_000)).toBe(0)
  })

  test('at the end of its input, with a call that waits for a person', async () => {
    const home = makeHome()
    await startTestHost(home)
    const bridge = startBridge(home, CURSOR)
    void bridge.call('store_secret', { name: 'hang', value: 'v' })
    await vi.waitFor(() => expect(callsOf(home)).toHaveLength(1), { timeout: 10_000 })
    bridge.child.stdin?.end()
    expect(await within(bridge.gone, 10_000)).toBe(0)
    await vi.waitFor(() => expect(notes(home)).toContainEqual({ closed: 'cursor' }), { timeout: 10_000 })
  })

  test('at the end of its input, after the answers to what was piped in', async () => {
    const home = makeHome()
    await startTestHost(home)
    const bridge = startBridge(home, CURSOR)
    const asked = [bridge.ask('tools/list'), bridge.call('get_secret', { name: 'a' })] as const
    bridge.child.stdin?.end()
    expect(await asked[1]).toBe('get_secret of a')
    expect(await within(bridge.gone, 10_000)).toBe(0)
  })

  test('at once when nobody reads its answers any more', async () => {
    const bridge = startBridge(makeHome())
    await bridge.ask('ping')
    bridge.child.stdout?.destroy()
    bridge.say({ jsonrpc: '2.0', id: 2, method: 'ping' })
    expect(await within(bridge.gone, 10_000)).toBe(0)
  })

  test('at the end of a client that was killed', async () => {
    const home = makeHome()
    const client = spawn(process.execPath, ['-e', CLIENT, bridgeScript], { env: { ...bare(home), COUNTERSIGN_NO_START: '1' } })
    const [text] = (await once(client.stdout, 'data')) as [Buffer]
    const pid = Number(text.toString())
    await kill(client)
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), { timeout: 10_000 })
  })

  test.each(['start', 'idle', 'call'])('within half a second of SIGTERM, at %s', async (when) => {
    const home = makeHome()
    if (when === 'call') await startTestHost(home)
    const bridge = startBridge(home)
    if (when !== 'start') await bridge.ask('ping')
    if (when === 'call') {
      void bridge.call('store_secret', { name: 'hang', value: 'v' })
      await vi.waitFor(() => expect(callsOf(home)).toHaveLength(1), { timeout: 10_000 })
    }
    bridge.child.kill('SIGTERM')
    expect(await within(bridge.gone, 5000)).toBe('SIGTERM')
  })

  test('within half a second of SIGTERM though nobody reads', async () => {
    const home = makeHome()
    await startTestHost(home)
    const bridge = startBridge(home, CURSOR)
    bridge.child.stdout?.pause()
    for (let id = 1000; id < 1200; id++) {
      bridge.say({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'get_secret', arguments: { name: 'large' } } })
    }
    await vi.waitFor(() => expect(callsOf(home).length).toBeGreaterThan(20), { timeout: 10_000 })
    bridge.child.kill('SIGTERM')
    expect(await within(bridge.gone, 5000)).toBe('SIGTERM')
  })
})

test('a client that does not read makes the bridge stop reading, and then gets every answer once', async () => {
  const home = makeHome()
  await startTestHost(home)
  const bridge = startBridge(home, CURSOR)
  bridge.child.stdout?.pause()
  const CALLS = 2000
  const pad = 'p'.repeat(2000)
  for (let id = 1; id <= CALLS; id++) {
    bridge.say({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'get_secret', arguments: { name: 'large', pad } } })
  }
  let before = -1
  while (before !== callsOf(home).length) {
    before = callsOf(home).length
    await new Promise((resolve) => setTimeout(resolve, 300))
  }
  expect(before).toBeLessThan(CALLS)
  bridge.child.stdout?.resume()
  await vi.waitFor(() => expect(bridge.heard).toHaveLength(CALLS), { timeout: 20_000 })
  expect(new Set(bridge.heard.map(({ id }) => id)).size).toBe(CALLS)
}, 60_000)

test('a folder that is in the way is named', async () => {
  const home = makeHome()
  mkdirSync(folderIn(home), { recursive: true })
  writeFileSync(path.join(folderIn(home), 'run'), '')
  expect(await startBridge(home).call('list_secrets', {})).toContain('is in the way')
})
