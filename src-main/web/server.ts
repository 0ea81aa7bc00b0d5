// The headless page: the built renderer, a login, and the rpc door behind it, on 127.0.0.1 alone.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { HttpFault, MAX_BODY, readJson } from './body.ts'
import { PAGE_TOKEN_HEADER, RPC_PROTOCOL } from '../../src-shared/login.ts'
import { clearedCookie, sessionCookie, tokenIn } from './cookie.ts'
import type { Door, Login } from './door.ts'
import { readPage, type PageFile } from './files.ts'
import { guardFault } from './guard.ts'
import { HEADERS } from './headers.ts'
import { isOwnUser } from './peer.ts'
import { serveRpc } from './rpc-socket.ts'
import { createSessions, type Session } from './sessions.ts'

const DEFAULT_PORT = 8718
const MOST_SOCKETS = 32
const MOST_SECRET = 1024
const BEAT_MS = 30_000

export interface WebOptions {
  door: Door
  login: Login
  /** The built page. */
  rendererFolder: string
  /** 0: any free one. Left out: 8718, or any free one where that is taken. */
  port?: number | undefined
  /** Milliseconds that only grow; for the idle time of sessions. */
  now?: () => number
}

export interface Web {
  url: string
  close: () => Promise<void>
}

export async function serveWeb(options: WebOptions): Promise<Web> {
  const { door, login, now = () => performance.now() } = options
  const files = await readPage(options.rendererFolder)
  const sockets = new Map<WebSocket, { session: Session; alive: boolean }>()
  const sessions = createSessions(now, (ended) => {
    for (const [socket, { session }] of sockets) if (session === ended) socket.close(4401, 'Logged out')
  })

  const server = createServer({ connectionsCheckingInterval: 1000, headersTimeout: 5000, requestTimeout: 10_000, keepAliveTimeout: 5000 })
  server.maxHeadersCount = 100
  const upgrades = new WebSocketServer({ noServer: true, maxPayload: MAX_BODY, perMessageDeflate: false, clientTracking: false })

  // Between connecting and the first request nothing has been read, so a foreigner is gone before a byte of his counts.
  server.on('connection', (socket) => {
    if (!isOwnUser(socket)) socket.destroy()
  })
  server.on('request', (request, response) => void answer(request, response))
  server.on('upgrade', upgrade)
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
    else socket.destroy()
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
    try {
      await route(request, response)
    } catch (error) {
      const fault = error instanceof HttpFault ? error : new HttpFault(500, 'Something went wrong inside Countersign.')
      if (response.headersSent) return void response.destroy()
      // What is left of the body is neither wanted nor waited for.
      response.setHeader('Connection', 'close')
      json(response, fault.status, { error: fault.message })
      request.resume()
    }
  }

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refused = guardFault(request, port())
    if (refused !== null) throw new HttpFault(403, refused)
    const path = (request.url ?? '').split('?')[0] ?? ''
    switch (path) {
      case '/session':
        demand(request, response, ['GET'])
        return json(response, 200, { mode: login.mode(), loggedIn: sessionOf(request) !== null })
      case '/login':
        demand(request, response, ['POST'])
        return await logIn(request, response)
      case '/logout':
        demand(request, response, ['POST'])
        await readJson(request)
        return logOut(request, response)
      case '/rpc':
        response.setHeader('Upgrade', 'websocket')
        throw new HttpFault(426, 'This address speaks WebSocket.')
      default:
        return sendFile(request, response, files.get(path))
    }
  }

  async function logIn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { secret, code = '' } = await readJson(request)
    if (typeof secret !== 'string' || secret === '' || secret.length > MOST_SECRET) {
      throw new HttpFault(400, `Send {"secret": "…"} with 1 to ${MOST_SECRET} characters.`)
    }
    if (typeof code !== 'string' || code.length > MOST_SECRET) throw new HttpFault(400, 'The code is a short text.')
    const entered = await login.enter(secret, code)
    if (!entered.ok) {
      if (entered.waitMs > 0) response.setHeader('Retry-After', Math.ceil(entered.waitMs / 1000))
      return json(response, entered.waitMs > 0 ? 429 : 401, { error: entered.message, waitMs: entered.waitMs })
    }
    // Another tab of the same browser joins its session: a new cookie would log the first tab out.
    const before = cookieOf(request)
    const cookie = sessions.has(before) ? before : sessions.open()
    if (cookie !== before) response.setHeader('Set-Cookie', sessionCookie(port(), cookie))
    json(response, 200, { mode: login.mode(), loggedIn: true, pageToken: sessions.pageToken(cookie) })
  }

  function logOut(request: IncomingMessage, response: ServerResponse): void {
    const session = sessionOf(request)
    if (session !== null) sessions.end(session)
    response.setHeader('Set-Cookie', clearedCookie(port()))
    json(response, 200, { mode: login.mode(), loggedIn: false })
  }

  function upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    stream.on('error', () => stream.destroy())
    if (guardFault(request, port()) !== null || request.headers.origin === undefined) return refuse(stream, '403 Forbidden')
    if (request.url !== '/rpc') return refuse(stream, '404 Not Found')
    const session = sessions.find(cookieOf(request), offeredToken(request))
    if (session === null) return refuse(stream, '401 Unauthorized')
    if (sockets.size >= MOST_SOCKETS) return refuse(stream, '503 Service Unavailable')
    upgrades.handleUpgrade(request, stream, head, (socket) => {
      const state = { session, alive: true }
      sockets.set(socket, state)
      socket.on('pong', () => (state.alive = true))
      socket.on('close', () => sockets.delete(socket))
      serveRpc(socket, doorFor(session), () => sessions.touch(session))
    })
  }

  /** Whoever changes the PIN may do so because somebody else knows the old one: that somebody is logged out. */
  function doorFor(session: Session): Door {
    return {
      ...door,
      dispatch: async (access, method, raw, context) => {
        const result = await door.dispatch(access, method, raw, context)
        if (method === 'pin.change') sessions.endOthers(session)
        return result
      },
    }
  }

  /** A page that vanished without a word (a laptop asleep) is noticed here; so is a session nobody uses any more. */
  const beat = setInterval(() => {
    sessions.sweep()
    for (const [socket, state] of sockets) {
      if (!state.alive) socket.terminate()
      state.alive = false
      socket.ping()
    }
  }, BEAT_MS).unref()

  const port = () => (server.address() as AddressInfo).port // A TCP server that listens has an address of this kind.
  const cookieOf = (request: IncomingMessage) => tokenIn(request.headers.cookie, port())
  const sessionOf = (request: IncomingMessage) => sessions.find(cookieOf(request), onlyValue(request.headers[PAGE_TOKEN_HEADER]))

  await listen(server, options.port)
  return {
    url: `http://127.0.0.1:${port()}/`,
    close: async () => {
      clearInterval(beat)
      const done = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets.keys()) socket.terminate()
      server.closeAllConnections()
      await done
    },
  }
}

async function listen(server: Server, wanted: number | undefined): Promise<void> {
  try {
    await listenOn(server, wanted ?? DEFAULT_PORT)
  } catch (error) {
    const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    if (!taken) throw error
    if (wanted !== undefined) throw new Error(`The page cannot be served: port ${wanted} is in use by another program.`, { cause: error })
    await listenOn(server, 0)
  }
}

function listenOn(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** The page token of a WebSocket, for which a browser lets a page set no header but the list of protocols. */
function offeredToken(request: IncomingMessage): string | null {
  const [protocol, token, ...rest] = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((part) => part.trim())
  return protocol === RPC_PROTOCOL && token !== undefined && rest.length === 0 ? token : null
}

function onlyValue(header: string | string[] | undefined): string | null {
  return typeof header === 'string' ? header : null
}

function demand(request: IncomingMessage, response: ServerResponse, methods: string[]): void {
  if (methods.includes(request.method ?? '')) return
  response.setHeader('Allow', methods.join(', '))
  throw new HttpFault(405, `Only ${methods.join(' and ')} here.`)
}

function sendFile(request: IncomingMessage, response: ServerResponse, file: PageFile | undefined): void {
  if (file === undefined) throw new HttpFault(404, 'There is nothing here.')
  demand(request, response, ['GET', 'HEAD'])
  response.writeHead(200, { 'Content-Type': file.type, 'Content-Length': file.body.length, 'Cache-Control': file.cache })
  response.end(request.method === 'HEAD' ? undefined : file.body)
}

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' })
  response.end(JSON.stringify(value))
}

function refuse(stream: Duplex, status: string): void {
  stream.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
