import { connect, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ACCEPT, callOf, openDesk, raw, rpc, send, type Desk, sharedDesk } from './testing.ts'

const theDesk = sharedDesk()
/** On a machine that may be busy. */
const SOON = { timeout: 15_000 }
const PING = JSON.stringify(rpc('ping'))

function head(desk: Desk, lines: string[], end = '\r\n'): string {
  const usual = [
    `Host: 127.0.0.1:${desk.port}`,
    `Authorization: Bearer ${desk.token}`,
    'Content-Type: application/json',
    `Accept: ${ACCEPT}`,
  ]
  return ['POST /mcp HTTP/1.1', ...usual, ...lines, '', ''].join(end)
}
const statuses = (received: string) => [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))
const chunked = `${PING.length.toString(16)}\r\n${PING}\r\n0\r\n\r\n`

describe('what could be read in two ways', () => {
  test.each<[string, (desk: Desk) => string]>([
    ['a length and chunks', (desk) => head(desk, [`Content-Length: ${chunked.length}`, 'Transfer-Encoding: chunked']) + chunked],
    ['chunks and a length', (desk) => head(desk, ['Transfer-Encoding: chunked', 'Content-Length: 3']) + chunked],
    ['two lengths', (desk) => head(desk, [`Content-Length: ${PING.length}`, 'Content-Length: 3']) + PING],
    ['a length that is none', (desk) => head(desk, ['Content-Length: +3']) + PING],
    ['a length in pieces', (desk) => head(desk, [`Content-Length: ${PING.length}, ${PING.length}`]) + PING],
    ['chunks under another name', (desk) => head(desk, ['Transfer-Encoding: xchunked']) + chunked],
    ['chunks that are not last', (desk) => head(desk, ['Transfer-Encoding: chunked, identity']) + chunked],
    ['lines that end in a bare line feed', (desk) => head(desk, [`Content-Length: ${PING.length}`], '\n') + PING],
    ['a bare line feed within a header', (desk) => head(desk, [`X: a\nContent-Length: ${PING.length}`]) + PING],
    ['a bare carriage return within a header', (desk) => head(desk, [`X: a\rContent-Length: 3`, `Content-Length: ${PING.length}`]) + PING],
    ['a space before the colon', (desk) => head(desk, [`Content-Length : ${PING.length}`]) + PING],
    ['a header that goes on in the next line', (desk) => head(desk, ['X: a', ' b', `Content-Length: ${PING.length}`]) + PING],
    ['a chunk whose length is none', (desk) => head(desk, ['Transfer-Encoding: chunked']) + `zz\r\n${PING}\r\n0\r\n\r\n`],
    ['a zero byte in a header', (desk) => head(desk, ['X: a\0b', `Content-Length: ${PING.length}`]) + PING],
  ])('%s: nothing is answered but 400, and the connection ends', async (_what, bytes) => {
    const desk = theDesk()
    // A second request rides along: it must not be taken for one.
    const received = await raw(desk.port, bytes(desk) + head(desk, [`Content-Length: ${PING.length}`]) + PING)
    expect(statuses(received)).toEqual([400])
  })

  test('several requests on one connection are answered in their order', async () => {
    const desk = theDesk()
    const one = (id: number) => JSON.stringify(rpc('ping', undefined, id))
    const bytes = [1, 2, 3].map((id) => head(desk, [`Content-Length: ${one(id).length}`]) + one(id)).join('')
    const last = head(desk, ['Connection: close', `Content-Length: ${one(4).length}`]) + one(4)
    const received = await raw(desk.port, bytes + last)
    expect([...received.matchAll(/"id":(\d)/g)].map(([, id]) => id)).toEqual(['1', '2', '3', '4'])
  })
})

describe('too much', () => {
  test('H09: a body above 1 MiB is 413, told at once or when it is found out, and on record; one of exactly 1 MiB is read', async () => {
    const desk = await openDesk()
    const padded = (size: number) => {
      const empty = JSON.stringify(callOf('list_secrets', { x: '' }))
      return empty.replace('"x":""', `"x":"${'y'.repeat(size - empty.length)}"`)
    }
    expect((await send(desk, { body: padded(1 << 20) })).status).toBe(200)
    for (const [size, headers] of [
      [(1 << 20) + 1, {}],
      [5_000_000, {}],
      [5_000_000, { 'Transfer-Encoding': 'chunked' }],
    ] as const) {
      const answered = await send(desk, { headers, body: padded(size) })
      expect([answered.status, answered.json?.error]).toEqual([
        413,
        { code: -32600, message: 'Invalid Request', data: 'The message is longer than 1 MiB' },
      ])
    }
    await expect.poll(async () => (await desk.rows()).filter(({ outcome }) => outcome === 'rejected').length, SOON).toBe(3)
  })

  test('who asks first whether to send a large body is told no before sending it', async () => {
    const desk = theDesk()
    const large = await raw(desk.port, head(desk, ['Expect: 100-continue', 'Content-Length: 5000000']))
    expect(statuses(large)).toEqual([413])
    const stranger = await raw(desk.port, head({ ...desk, token: 'x' }, ['Expect: 100-continue', 'Content-Length: 10']))
    expect(statuses(stranger)).toEqual([401])
    const small = raw(desk.port, head(desk, ['Expect: 100-continue', 'Connection: close', `Content-Length: ${PING.length}`]) + PING)
    expect(statuses(await small)).toEqual([100, 200])
  })

  test('headers without end are refused', async () => {
    const desk = theDesk()
    const received = await raw(desk.port, head(desk, [`X: ${'y'.repeat(100_000)}`, 'Content-Length: 0']))
    expect(statuses(received)).toEqual([400])
  })
})

describe('too slow', () => {
  test('H09: headers or a body that come byte by byte end within ten seconds, while others are served', { timeout: 20_000 }, async () => {
    const desk = theDesk()
    const trickled = ['POST /mcp HTTP/1.1\r\n', head(desk, [`Content-Length: ${PING.length}`])].map((begin) => trickle(desk.port, begin))
    const began = performance.now()
    const served = setInterval(() => void send(desk, { body: PING }), 500)
    onTestFinished(() => clearInterval(served))
    await Promise.all(trickled)
    expect(performance.now() - began).toBeLessThan(12_000)
    expect((await send(desk, { body: PING })).status).toBe(200)
  })

  test('H09: a thousand connections that say nothing keep nobody out, and do not stay', { timeout: 60_000 }, async () => {
    const desk = theDesk()
    const idle = await Promise.all(Array.from({ length: 1000 }, () => opened(desk.port)))
    onTestFinished(() => idle.forEach((socket) => socket.destroy()))
    const began = performance.now()
    for (let i = 0; i < 20; i++) expect((await send(desk, { body: callOf('list_secrets', {}, i) })).json?.id).toBe(i)
    await Promise.all(idle.map((socket) => new Promise((resolve) => (socket.closed ? resolve(null) : socket.once('close', resolve)))))
    // Five seconds for headers and a second until the next look, on a machine that may be busy.
    expect(performance.now() - began).toBeLessThan(30_000)
  })
})

function opened(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket))
    socket.on('error', reject)
    socket.resume()
  })
}

/** Resolves when the other side has had enough. */
function trickle(port: number, begin: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.write(begin)
    const drip = setInterval(() => socket.write('X'), 200)
    socket.resume()
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearInterval(drip)
      resolve()
    })
  })
}
