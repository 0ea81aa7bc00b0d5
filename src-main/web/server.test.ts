import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import path from 'node:path'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { LoginMode } from '../../src-shared/login.ts'
import type { EventName, RpcFault } from '../../src-shared/rpc.ts'
import type { Door, Login } from './door.ts'
import { serveWeb, type Web } from './server.ts'

class Fault extends Error {
  readonly fault: RpcFault
  constructor(fault: RpcFault) {
    super(fault.message)
    this.fault = fault
  }
}

/** The door is a port: what the host would do behind it is not this folder's business. */
function testDoor() {
  const listeners = new Set<(event: EventName, data: unknown) => void>()
  const calls: { access: string; method: string; raw: unknown; aborted: () => boolean }[] = []
  const door: Door = {
    dispatch: async (access, method, raw, { signal }) => {
      calls.push({ access, method, raw, aborted: () => signal.aborted })
      if (method === 'refuse') throw new Fault({ code: 'refused', message: 'Not now.' })
      if (method === 'bug') throw new Error('hunter2 leaked')
      if (method === 'hang') await once(signal, 'abort')
      return method === 'nothing' ? undefined : { method, raw }
    },
    subscribe: (_access, _caller, listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  return { door, calls, listeners }
}

function testLogin(): Login & { wait: number } {
  let mode: LoginMode = 'set pin'
  let pin: string | null = null
  return {
    wait: 0,
    mode: () => mode,
    async enter(secret) {
      if (pin === null) [pin, mode] = [secret, 'pin']
      if (this.wait > 0) return { ok: false, message: 'Too many wrong tries; wait 5 seconds.', waitMs: this.wait }
      return secret === pin ? { ok: true } : { ok: false, message: 'That is not the PIN.', waitMs: 0 }
    },
  }
}

let folder: string
let web: Web
let host: ReturnType<typeof testDoor>
let login: ReturnType<typeof testLogin>
let time: number

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-web-'))
  const page = path.join(folder, 'page')
  await mkdir(path.join(page, 'assets'), { recursive: true })
  await writeFile(path.join(folder, 'outside.html'), 'outside')
  await writeFile(path.join(page, 'index.html'), '<!doctype html><title>Countersign</title>')
  await writeFile(path.join(page, 'assets', 'app-1a2b.js'), 'export {}')
  await writeFile(path.join(page, 'notes.txt'), 'not for the page')
  await symlink(path.join(folder, 'outside.html'), path.join(page, 'link.html'))
  host = testDoor()
  login = testLogin()
  time = 0
  web = await serveWeb({ door: host.door, login, rendererFolder: page, port: 0, now: () => time })
})

afterEach(async () => {
  await web.close()
  await rm(folder, { recursive: true, force: true })
})

const port = () => Number(new URL(web.url).port)
const ownOrigin = () => `http://127.0.0.1:${port()}`

interface Reply {
  status: number
  headers: IncomingHttpHeaders
  text: string
  json: () => Record<string, unknown>
}

function send(method: string, url: string, headers: OutgoingHttpHeaders = {}, body: string | Buffer | null = null): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: port(), method, path: url, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          json: () => JSON.parse(text) as Record<string, unknown>,
        })
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const post = (url: string, value: unknown, headers: OutgoingHttpHeaders = {}) =>
  send('POST', url, { 'content-type': 'application/json', ...headers }, JSON.stringify(value))

/** What a page that has logged in sends with every request: its cookie, and the token beside it. */
type Pass = {
  cookie: string
  'x-countersign-page': string
}

async function pass(headers: OutgoingHttpHeaders = {}): Promise<Pass> {
  const reply = await post('/login', { secret: '123456' }, headers)
  const cookie = reply.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
  return { cookie, 'x-countersign-page': String(reply.json()['pageToken']) }
}

/** A browser lets a page set no header of a WebSocket but the protocols: there the token goes. */
function open({ 'x-countersign-page': token, ...headers }: Record<string, string>, url = '/rpc'): WebSocket {
  return new WebSocket(`ws://127.0.0.1:${port()}${url}`, token === undefined ? [] : ['countersign', token], { headers })
}

/** The status with which an upgrade was refused, or 101. */
function upgradeStatus(headers: Record<string, string>, url = '/rpc'): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = open(headers, url)
    socket.on('open', () => {
      socket.terminate()
      resolve(101)
    })
    socket.on('unexpected-response', (_request, response) => {
      socket.terminate()
      resolve(response.statusCode ?? 0)
    })
    socket.on('error', reject)
  })
}

async function page(): Promise<{ socket: WebSocket; ask: (message: unknown) => Promise<Record<string, unknown>> }> {
  const socket = open({ ...(await pass()), origin: ownOrigin() })
  await once(socket, 'open')
  const ask = async (message: unknown) => {
    socket.send(typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message))
    const [data] = (await once(socket, 'message')) as [Buffer]
    return JSON.parse(data.toString()) as Record<string, unknown>
  }
  return { socket, ask }
}

describe('Host and Origin', () => {
  test.each([
    ['127.0.0.1', 200],
    ['localhost', 200],
  ])('%s with our port is served', async (name, status) => {
    expect((await send('GET', '/', { host: `${name}:${port()}` })).status).toBe(status)
  })

  test.each([
    'evil.example',
    'evil.example:PORT',
    '127.0.0.1',
    '127.0.0.1:1',
    'localhost.evil.example:PORT',
    '127.0.0.1:PORT.evil',
    '[::1]:PORT',
  ])('Host %j is refused everywhere', async (name) => {
    const host = name.replace('PORT', String(port()))
    for (const url of ['/', '/session', '/rpc', '/nowhere']) expect((await send('GET', url, { host })).status).toBe(403)
    expect((await post('/login', { secret: '123456' }, { host })).status).toBe(403)
    expect(login.mode()).toBe('set pin')
  })

  test.each([
    'https://evil.example',
    'null',
    'http://127.0.0.1:1',
    'http://localhost:PORT',
    'https://127.0.0.1:PORT',
    'http://127.0.0.1:PORT.evil.example',
  ])('Origin %j is refused, and gets no CORS header', async (name) => {
    const origin = name.replace('PORT', String(port()))
    for (const reply of [
      await send('GET', '/session', { origin }),
      await post('/login', { secret: '123456' }, { origin }),
      await send('OPTIONS', '/login', {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-private-network': 'true',
      }),
    ]) {
      expect(reply.status).toBe(403)
      expect(Object.keys(reply.headers).filter((header) => header.startsWith('access-control'))).toEqual([])
    }
    expect(login.mode()).toBe('set pin')
  })

  test('our own Origin is served', async () => {
    expect((await post('/login', { secret: '123456' }, { origin: ownOrigin() })).status).toBe(200)
    expect((await post('/login', { secret: '123456' }, { origin: `http://localhost:${port()}`, host: `localhost:${port()}` })).status).toBe(
      200,
    )
  })

  test('what another site loads without an Origin is refused, a link to our page is not', async () => {
    for (const site of ['cross-site', 'same-site']) {
      expect((await send('GET', '/', { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' })).status).toBe(403)
      expect((await send('GET', '/', { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' })).status).toBe(
        403,
      )
      expect((await send('GET', '/', { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' })).status).toBe(
        200,
      )
    }
  })

  test('a second Host header is refused', async () => {
    const socket = connect(port(), '127.0.0.1')
    socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port()}\r\nHost: evil.example\r\nConnection: close\r\n\r\n`)
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 40[03] /)
    socket.destroy()
  })

  test('it listens on the loopback alone', async () => {
    const others = Object.values(networkInterfaces())
      .flat()
      .filter((address) => address !== undefined && address.family === 'IPv4' && !address.internal)
    for (const address of others) {
      const socket = connect(port(), address?.address)
      const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
      expect(error.code).toBe('ECONNREFUSED')
    }
    expect(web.url).toBe(`http://127.0.0.1:${port()}/`)
  })
})

describe('the page', () => {
  test('every answer carries the policy, and none allows another origin', async () => {
    for (const reply of [
      await send('GET', '/'),
      await send('GET', '/session'),
      await send('GET', '/nowhere'),
      await send('GET', '/', { host: 'evil' }),
    ]) {
      expect(reply.headers['content-security-policy']).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      )
      expect(reply.headers['x-content-type-options']).toBe('nosniff')
      expect(reply.headers['referrer-policy']).toBe('no-referrer')
      expect(reply.headers).not.toHaveProperty('access-control-allow-origin')
      expect(reply.headers).not.toHaveProperty('x-powered-by')
    }
  })

  test('files come with their type; the page itself is never cached', async () => {
    const index = await send('GET', '/?from=link')
    expect(index).toMatchObject({ status: 200, text: '<!doctype html><title>Countersign</title>' })
    expect(index.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
    const script = await send('GET', '/assets/app-1a2b.js')
    expect(script.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': expect.stringContaining('immutable') as string,
    })
    expect(await send('HEAD', '/')).toMatchObject({ status: 200, text: '' })
  })

  test.each([
    '/../outside.html',
    '/assets/../../outside.html',
    '/..%2foutside.html',
    '/%2e%2e/outside.html',
    '/assets/..%5c..%5coutside.html',
    '//outside.html',
    '/link.html',
    '/notes.txt',
    '/assets',
    '/assets/',
    '/index.html/',
    '/INDEX.html',
    '/index.html%00',
    'http://127.0.0.1/index.html',
  ])('%s is nothing that is served', async (url) => {
    expect((await send('GET', url)).status).toBe(404)
  })

  test('other methods are refused', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) expect((await send(method, '/')).status).toBe(405)
    expect(await send('GET', '/login')).toMatchObject({ status: 405, headers: { allow: 'POST' } })
    expect((await post('/session', {})).status).toBe(405)
  })

  test('a folder without a page is refused with a sentence', async () => {
    await expect(serveWeb({ door: host.door, login, rendererFolder: folder, port: 0 })).rejects.toThrow(/The page is not built/)
  })

  test('a port in use is refused with a sentence', async () => {
    const again = serveWeb({ door: host.door, login, rendererFolder: path.join(folder, 'page'), port: port() })
    await expect(again).rejects.toThrow(`port ${port()} is in use by another program`)
  })
})

describe('logging in', () => {
  test('the page learns what to ask for, and nothing else', async () => {
    expect((await send('GET', '/session')).json()).toEqual({ mode: 'set pin', loggedIn: false })
    const value = await pass()
    expect((await send('GET', '/session', value)).json()).toEqual({ mode: 'pin', loggedIn: true })
    expect((await send('GET', '/session')).json()).toEqual({ mode: 'pin', loggedIn: false })
  })

  test('the cookie is long, random, HttpOnly and SameSite=Strict, and it is nowhere else', async () => {
    const reply = await post('/login', { secret: '123456' })
    const [set] = reply.headers['set-cookie'] ?? []
    expect(set).toMatch(new RegExp(`^countersign-${port()}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/$`))
    expect(reply.headers['set-cookie']).toHaveLength(1)
    expect(reply.text).not.toContain(set?.split(/[=;]/)[1])
    expect((await pass()).cookie).not.toBe(set?.split(';')[0])
  })

  test('a wrong PIN is told so, and how long to wait is relayed', async () => {
    await pass()
    const wrong = await post('/login', { secret: '000000' })
    expect(wrong).toMatchObject({ status: 401 })
    expect(wrong.json()).toEqual({ error: 'That is not the PIN.', waitMs: 0 })
    expect(wrong.headers).not.toHaveProperty('set-cookie')
    login.wait = 4200
    const slowed = await post('/login', { secret: '123456' })
    expect(slowed).toMatchObject({ status: 429, headers: { 'retry-after': '5' } })
    expect(slowed.json()).toEqual({ error: 'Too many wrong tries; wait 5 seconds.', waitMs: 4200 })
  })

  test.each([
    ['text/plain', '{"secret":"123456"}', 415],
    ['application/x-www-form-urlencoded', 'secret=123456', 415],
    ['application/jsonp', '{"secret":"123456"}', 415],
    ['application/json', '{"secret":', 400],
    ['application/json', '["123456"]', 400],
    ['application/json', 'null', 400],
    ['application/json', '{"secret":123456}', 400],
    ['application/json', '{"secret":""}', 400],
    ['application/json; charset=utf-8', '{"secret":"123456"}', 200],
  ])('%s %s is answered with %i', async (type, body, status) => {
    const reply = await send('POST', '/login', { 'content-type': type }, body)
    expect(reply.status).toBe(status)
    expect(reply.text).not.toContain('123456')
  })

  test('a PIN nobody could have set is not even tried', async () => {
    expect((await post('/login', { secret: 'x'.repeat(1025) })).status).toBe(400)
    expect(login.mode()).toBe('set pin')
  })

  test('bytes that are no UTF-8 are refused', async () => {
    const reply = await send('POST', '/login', { 'content-type': 'application/json' }, Buffer.from('{"secret":"\xff\xfe"}', 'latin1'))
    expect(reply.status).toBe(400)
  })

  test('a body above 1 MiB is refused, announced or not', async () => {
    const large = Buffer.alloc(5 * 1024 * 1024, 0x20)
    expect((await send('POST', '/login', { 'content-type': 'application/json', 'content-length': large.length }, large)).status).toBe(413)
    expect((await send('POST', '/login', { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }, large)).status).toBe(413)
    expect((await post('/login', { secret: '123456' })).status).toBe(200)
  })

  test('logging out ends the session and closes its pages', async () => {
    const value = await pass()
    const socket = open({ ...value, origin: ownOrigin() })
    await once(socket, 'open')
    const closed = once(socket, 'close')
    expect((await send('POST', '/logout', value)).status).toBe(415)
    expect((await post('/logout', {}, value)).headers['set-cookie']?.[0]).toMatch(/=; .*Max-Age=0/)
    expect((await closed)[0]).toBe(4401)
    expect((await send('GET', '/session', value)).json()).toMatchObject({ loggedIn: false })
    expect(await upgradeStatus({ ...value, origin: ownOrigin() })).toBe(401)
  })

  test('a session ends after twelve idle hours, and each use starts them again', async () => {
    const value = await pass()
    const hours = (count: number) => count * 3_600_000
    time = hours(11.9)
    expect((await send('GET', '/session', value)).json()).toMatchObject({ loggedIn: true })
    time = hours(23.8)
    expect((await send('GET', '/session', value)).json()).toMatchObject({ loggedIn: true })
    time = hours(36)
    expect((await send('GET', '/session', value)).json()).toMatchObject({ loggedIn: false })
  })

  test('sessions are bounded: the one least recently used goes first', async () => {
    const first = await pass()
    const second = await pass()
    for (let i = 0; i < 62; i++) await pass()
    await send('GET', '/session', first)
    await pass()
    expect((await send('GET', '/session', first)).json()).toMatchObject({ loggedIn: true })
    expect((await send('GET', '/session', second)).json()).toMatchObject({ loggedIn: false })
  })

  test('whoever changes the PIN stays, and everybody else is logged out', async () => {
    const other = await pass()
    const elsewhere = open({ ...other, origin: ownOrigin() })
    await once(elsewhere, 'open')
    const closed = once(elsewhere, 'close')
    const { socket, ask } = await page()
    await ask({ id: 1, method: 'pin.change', params: {} })
    expect((await closed)[0]).toBe(4401)
    expect((await send('GET', '/session', other)).json()).toMatchObject({ loggedIn: false })
    expect(await ask({ id: 2, method: 'status' })).toMatchObject({ id: 2 })
    socket.terminate()
  })

  test('the cookie alone, which every port of this computer is sent, opens nothing and ends nothing', async () => {
    const { cookie, 'x-countersign-page': token } = await pass()
    const other = await pass()
    const origin = ownOrigin()
    for (const guess of [
      {},
      { 'x-countersign-page': '' },
      { 'x-countersign-page': cookie },
      { 'x-countersign-page': other['x-countersign-page'] },
    ]) {
      expect((await send('GET', '/session', { cookie, origin, ...guess })).json()).toMatchObject({ loggedIn: false })
      expect((await post('/logout', {}, { cookie, origin, ...guess })).status).toBe(200)
    }
    expect(await upgradeStatus({ cookie, origin })).toBe(401)
    for (const list of ['countersign', token, `countersign, ${other['x-countersign-page']}`, `countersign, x, ${token}`, `other, ${token}`])
      expect(await upgradeStatus({ cookie, origin, 'sec-websocket-protocol': list })).toBe(401)
    expect((await send('GET', '/session', { 'x-countersign-page': token })).json()).toMatchObject({ loggedIn: false })
    expect((await send('GET', '/session', { cookie, 'x-countersign-page': token })).json()).toMatchObject({ loggedIn: true })
  })

  test('another tab that logs in joins the session of its browser, and a wrong PIN there joins nothing', async () => {
    const first = await pass()
    const wrong = await post('/login', { secret: '000000' }, { cookie: first.cookie })
    expect(wrong.status).toBe(401)
    expect(wrong.json()).not.toHaveProperty('pageToken')
    const second = await post('/login', { secret: '123456' }, { cookie: first.cookie })
    expect(second.headers).not.toHaveProperty('set-cookie')
    expect(second.json()['pageToken']).toBe(first['x-countersign-page'])
  })

  test('a cookie that another port set is no session, and logging in replaces it', async () => {
    const planted = `countersign-${port()}=${'x'.repeat(43)}`
    const reply = await post('/login', { secret: '123456' }, { cookie: planted })
    expect(reply.headers['set-cookie']?.[0]).not.toContain(planted)
    expect(reply.headers['set-cookie']).toHaveLength(1)
  })

  test('two cookies of our name are none', async () => {
    const value = await pass()
    expect((await send('GET', '/session', { ...value, cookie: `${value.cookie}; countersign-${port()}=x` })).json()).toMatchObject({
      loggedIn: false,
    })
    expect((await send('GET', '/session', { ...value, cookie: `a=b; ${value.cookie}; c=d` })).json()).toMatchObject({ loggedIn: true })
  })
})

describe('rpc over WebSocket', () => {
  test('it opens only for our own page with a session', async () => {
    const value = await pass()
    const origin = ownOrigin()
    expect(await upgradeStatus({ ...value, origin })).toBe(101)
    expect(await upgradeStatus({ origin })).toBe(401)
    expect(await upgradeStatus({ ...value, cookie: `countersign-${port()}=guess`, origin })).toBe(401)
    expect(await upgradeStatus(value)).toBe(403)
    expect(await upgradeStatus({ ...value, origin: 'https://evil.example' })).toBe(403)
    expect(await upgradeStatus({ ...value, origin, host: `evil.example:${port()}` })).toBe(403)
    expect(await upgradeStatus({ ...value, origin }, '/rpc/')).toBe(404)
    expect((await send('GET', '/rpc', value)).status).toBe(426)
  })

  test('a call goes through the door as a window, and its answer comes back under its id', async () => {
    const { socket, ask } = await page()
    expect(await ask({ id: 7, method: 'status', params: { a: 1 } })).toEqual({ id: 7, result: { method: 'status', raw: { a: 1 } } })
    expect(await ask({ id: 'x', method: 'nothing' })).toEqual({ id: 'x', result: null })
    expect(host.calls.map(({ access, method, raw }) => ({ access, method, raw }))).toEqual([
      { access: 'window', method: 'status', raw: { a: 1 } },
      { access: 'window', method: 'nothing', raw: {} },
    ])
    socket.terminate()
  })

  test('a refusal keeps its code and sentence; a mistake of ours tells nothing', async () => {
    const { socket, ask } = await page()
    expect(await ask({ id: 1, method: 'refuse' })).toEqual({ id: 1, error: { code: 'refused', message: 'Not now.' } })
    expect(await ask({ id: 2, method: 'bug' })).toEqual({
      id: 2,
      error: { code: 'internal', message: 'Something went wrong inside Countersign.' },
    })
    socket.terminate()
  })

  test.each([
    '{"id":',
    'null',
    '[]',
    '"text"',
    '{}',
    '{"id":null,"method":"status"}',
    '{"id":{},"method":"status"}',
    '{"id":1,"method":2}',
    '{"id":1}',
  ])('%s is one error with id null, and the next message is served', async (text) => {
    const { socket, ask } = await page()
    expect(await ask(text)).toMatchObject({ id: null, error: { code: 'bad params' } })
    expect(await ask({ id: 1, method: 'status' })).toMatchObject({ id: 1 })
    socket.terminate()
  })

  test('an absurdly deep message is one error, and the next message is served', async () => {
    const { socket, ask } = await page()
    expect(await ask('['.repeat(500_000))).toMatchObject({ id: null })
    expect(await ask({ id: 1, method: 'status' })).toMatchObject({ id: 1 })
    socket.terminate()
  })

  test('a binary message is one error, and the next message is served', async () => {
    const { socket, ask } = await page()
    expect(await ask(Buffer.from([0xff, 0xfe]))).toMatchObject({ id: null })
    expect(await ask({ id: 1, method: 'status' })).toMatchObject({ id: 1 })
    socket.terminate()
  })

  test('a message above 1 MiB closes that connection, and no other', async () => {
    const first = await page()
    const second = await page()
    const closed = once(first.socket, 'close')
    first.socket.send('x'.repeat(1024 * 1024 + 1))
    expect((await closed)[0]).toBe(1009)
    expect(await second.ask({ id: 1, method: 'status' })).toMatchObject({ id: 1 })
    second.socket.terminate()
  })

  test('a slow call blocks no other, and too many at once are refused', async () => {
    const { socket, ask } = await page()
    for (let id = 0; id < 63; id++) socket.send(JSON.stringify({ id, method: 'hang' }))
    expect(await ask({ id: 'quick', method: 'status' })).toMatchObject({ id: 'quick', result: {} })
    socket.send(JSON.stringify({ id: 63, method: 'hang' }))
    expect(await ask({ id: 'more', method: 'status' })).toMatchObject({ id: 'more', error: { code: 'refused' } })
    socket.terminate()
  })

  test('events reach every page until it closes, and closing aborts what it asked for', async () => {
    const { socket } = await page()
    const heard = once(socket, 'message')
    for (const listener of host.listeners) listener('audit', { seq: 3 })
    expect(JSON.parse(((await heard)[0] as Buffer).toString())).toEqual({ event: 'audit', data: { seq: 3 } })
    socket.send(JSON.stringify({ id: 1, method: 'hang' }))
    await expect.poll(() => host.calls.length).toBe(1)
    socket.terminate()
    await expect.poll(() => host.listeners.size).toBe(0)
    expect(host.calls[0]?.aborted()).toBe(true)
  })

  test('at most 32 pages are open at once', async () => {
    const headers = { ...(await pass()), origin: ownOrigin() }
    const sockets = Array.from({ length: 32 }, () => open(headers))
    await Promise.all(sockets.map((socket) => once(socket, 'open')))
    expect(await upgradeStatus(headers)).toBe(503)
    for (const socket of sockets) socket.terminate()
    await expect.poll(() => upgradeStatus(headers)).toBe(101)
  })
})

describe('slow and silent connections', () => {
  test(
    'headers that trickle and connections that say nothing are closed, and others are served meanwhile',
    { timeout: 20_000 },
    async () => {
      const silent = Array.from({ length: 200 }, () => connect(port(), '127.0.0.1'))
      const slow = connect(port(), '127.0.0.1')
      slow.write('GET / HTTP/1.1\r\nX-A: ')
      const trickle = setInterval(() => slow.write('a'), 200)
      const ended = [slow, ...silent].map((socket) => once(socket.on('error', () => {}).resume(), 'close'))
      expect((await send('GET', '/')).status).toBe(200)
      await Promise.all(ended)
      clearInterval(trickle)
      expect((await send('GET', '/')).status).toBe(200)
    },
  )
})
