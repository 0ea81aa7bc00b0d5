import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { connectHost, LinkError } from './connect.ts'
import { NONCE, proof, wireOf, type Message, type Wire } from './testing/wire.ts'

const KEY = Buffer.alloc(32, 1)

let folder: string
let file: string
let server: net.Server
let heard: Message[]

beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'link-'))
  mkdirSync(path.join(folder, 'run'), { mode: 0o700 })
  file = path.join(folder, 'run', 'host.sock')
  server = net.createServer().listen(file)
  heard = []
  await once(server, 'listening')
})
afterEach(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Something that listens where the host should, and notes all it is told. */
async function host(act: (wire: Wire, hear: () => Promise<Message | null>) => Promise<void>): Promise<void> {
  const [socket] = (await once(server, 'connection')) as [net.Socket]
  const wire = wireOf(socket)
  const hear = async () => {
    const message = await wire.hear()
    if (message !== null) heard.push(message)
    return message
  }
  await act(wire, hear)
  while ((await hear()) !== null);
}

const connect = (timeoutMs = 2000) => connectHost({ socketPath: file, client: { id: 'cursor', key: KEY }, kind: 'bridge', timeoutMs })
const failure = (error: unknown): string => (error instanceof LinkError ? error.code : String(error))
const nonceOf = (message: Message | null): string => String((message!['hello'] as Message)['nc'])

describe('an impostor that listens in the place of the host', () => {
  test.each<[string, (nc: string) => object]>([
    ['guesses a proof', () => ({ ns: NONCE, proof: '00'.repeat(32), former: '00'.repeat(32) })],
    ['gives no proof', () => ({ ns: NONCE, proof: null })],
    ['sends the proof a client would give', (nc) => ({ ns: NONCE, proof: proof(KEY, 'client', nc, NONCE) })],
    ['sends the nonce back', (nc) => ({ ns: nc, proof: nc, former: nc })],
    ['skips to the welcome', () => ({ welcome: true })],
    ['talks of something else', () => ({ id: 1, result: 'x' })],
  ])('and %s learns nothing but a nonce', async (_, answer) => {
    const impostor = host(async (wire, hear) => wire.say(answer(nonceOf(await hear()))))
    expect(await connect().then(() => 'connected', failure)).toBe('refused')
    await impostor
    expect(heard).toEqual([{ hello: { v: 1, client: 'cursor', nc: expect.stringMatching(/^[0-9a-f]{64}$/) as string, kind: 'bridge' } }])
  })

  test('and says nothing is given up on', async () => {
    const impostor = host(async (_, hear) => void (await hear()))
    expect(await connect(200).then(() => 'connected', failure)).toBe('silent')
    await impostor
    expect(heard).toHaveLength(1)
  })
})

test('a host that proves itself with the former key is known too', async () => {
  const honest = host(async (wire, hear) => {
    const nc = nonceOf(await hear())
    wire.say({ ns: NONCE, proof: '00'.repeat(32), former: proof(KEY, 'host', nc, NONCE) })
    const answer = await hear()
    expect(answer).toEqual({ proof: proof(KEY, 'client', nc, NONCE), pid: process.pid, ppid: process.ppid })
    wire.say('{"welcome":true}\n{"event":"names","data":null}')
  })
  const link = await connect()
  const events: string[] = []
  link.onEvent((event) => events.push(event))
  expect(events).toEqual(['names'])
  link.close()
  await honest
})

test('every nonce is new', async () => {
  for (let i = 0; i < 3; i++) {
    const turningAway = host(async (wire, hear) => {
      await hear()
      wire.say({ error: { code: 'refused', message: 'No.' } })
    })
    await connect().catch(failure)
    await turningAway
  }
  expect(new Set(heard.map(nonceOf)).size).toBe(3)
})

test('where nobody listens the host is absent', async () => {
  expect(await connectHost({ socketPath: path.join(folder, 'no', 'x'), client: null, kind: 'cli', timeoutMs: 500 }).catch(failure)).toBe(
    'absent',
  )
  const closing = once(server, 'close')
  server.close()
  await closing
  expect(await connect().catch(failure)).toBe('absent')
})
