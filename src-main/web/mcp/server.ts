// `POST /mcp`: the same protocol core as on a stream, one message per request, on 127.0.0.1 alone.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Client } from '../../../src-shared/client.ts'
import type { Peer } from '../../host/connection.ts'
import type { HttpDoor } from '../../host/http-door.ts'
import type { Proof } from '../../host/tokens.ts'
import { VERSION } from '../../version.ts'
import type { Door } from '../door.ts'
import { readBody } from './body.ts'
import { createCallers } from './callers.ts'
import { answerOverHttp, createExchange, type Answerer } from './exchange.ts'
import { createFlights } from './flights.ts'
import { createHeads } from './heads.ts'
import { createUserCheck } from './own-user.ts'
import { sendJson } from './reply.ts'
import { bearerOf, formFault, headFault, isTooLarge, lineFault, PATH, UNAUTHORIZED, type Refusal } from './requests.ts'

export interface McpHttpOptions {
  host: Door & { http: HttpDoor }
  /** 0: any free one. */
  port: number
  /** Which process holds the other end. */
  inspect: (socket: Socket) => Promise<Peer>
  /** Told of mistakes that are ours. They may hold a value in their message. */
  onBug: (error: unknown) => void
  /** The protocol. The suite that judges us puts one in its place that also knows the tools it asks for. */
  answer?: Answerer
}

export interface McpHttp {
  url: string
  close: () => Promise<void>
}

const MOST_CONNECTIONS = 4096
/** Connections the system takes while we are busy; beyond them it forgets some that their owners think are made. */
const WAITING_TO_COME_IN = 2048
/** What is left of a body that is not wanted: read, so that its sender hears why, up to here. */
const MOST_UNWANTED = 16 << 20
const REVOKED_MS = 500
const LEAVING_MS = 300

/** Rejects with a sentence where the port cannot be had. */
export async function serveMcp({ host, port: wanted, inspect, onBug, answer = answerOverHttp }: McpHttpOptions): Promise<McpHttp> {
  const flights = createFlights()
  const isOwnUser = createUserCheck()
  const heads = createHeads()
  const serverInfo = { name: 'countersign', title: 'Countersign', version: VERSION }
  const exchange = createExchange({ host, callers: createCallers(inspect), flights, serverInfo, onBug, answer })

  const server = createServer({ connectionsCheckingInterval: 1000, headersTimeout: 5000, requestTimeout: 8000, keepAliveTimeout: 30_000 })
  server.maxHeadersCount = 100
  server.maxConnections = MOST_CONNECTIONS

  server.on('request', (request, response) => void serve(request, response, () => undefined))
  server.on('checkContinue', (request, response) => void serve(request, response, () => response.writeContinue()))
  // What is no HTTP, or could be read in two ways, ends the connection: nothing after it can be trusted to be a request.
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
    else socket.destroy()
  })

  async function serve(request: IncomingMessage, response: ServerResponse, goOn: () => void): Promise<void> {
    try {
      // Before anything he sent counts, a foreigner is gone.
      const own = isOwnUser(request.socket)
      if (own !== true && !(await own)) return void request.socket.destroy()
      const client = admit(request, response)
      if (client === null) return
      if (isTooLarge(request)) return refuseBody(request, response, client)
      goOn()
      const body = await readBody(request)
      if (body.is === 'gone') return
      if (body.is === 'too long') return refuseBody(request, response, client)
      await exchange.answer(request, response, client, body)
    } catch (error) {
      onBug(error)
      if (response.headersSent) response.destroy()
      else sendJson(response, 500, { error: 'Internal Server Error' }, { Connection: 'close' })
    }
  }

  /** Whose request this is, once everything but its body is as it should be. Otherwise it has been answered. */
  function admit(request: IncomingMessage, response: ServerResponse): Client | null {
    const known = heads.recall(request)
    const stranger = known === null ? headFault(request, port) : null
    const fault = stranger ?? lineFault(request)
    if (fault !== null) {
      if (fault.isPage) host.http.refused('page')
      return refuse(request, response, fault)
    }
    const proof = known ?? proofIn(request)
    const client = proof === null ? null : host.http.admit(proof)
    if (proof === null || client === null) {
      host.http.refused('token')
      return refuse(request, response, UNAUTHORIZED)
    }
    if (known !== null) return client
    const badForm = formFault(request)
    if (badForm !== null) return refuse(request, response, badForm)
    heads.remember(request, proof)
    return client
  }

  function proofIn(request: IncomingMessage): Proof | null {
    const token = bearerOf(request)
    return token === null ? null : host.http.recognise(token)
  }

  function refuse(request: IncomingMessage, response: ServerResponse, { status, body, headers }: Refusal): null {
    // Whoever was turned away before the body was read is not waited for.
    sendJson(response, status, body, { Connection: 'close', ...headers })
    drain(request)
    return null
  }

  function refuseBody(request: IncomingMessage, response: ServerResponse, client: Client): void {
    exchange.refuse(request, response, client, 'too long')
    drain(request)
  }

  function drain(request: IncomingMessage): void {
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MOST_UNWANTED) request.destroy()
    })
  }

  const stopHearing = host.http.onEnded((clientId) => void flights.finish(clientId, REVOKED_MS))
  const port = await listen(server, wanted)

  return {
    url: `http://127.0.0.1:${port}${PATH}`,
    async close() {
      stopHearing()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      await flights.finish(null, LEAVING_MS)
      server.closeAllConnections()
      await closed
    },
  }
}

/** The port it listens on; asking the server for it at every request would be a call to the system each time. */
function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => reject(new Error(sentenceFor(error, port), { cause: error }))
    server.once('error', failed)
    server.listen({ host: '127.0.0.1', port, exclusive: true, backlog: WAITING_TO_COME_IN }, () => {
      server.off('error', failed)
      resolve((server.address() as AddressInfo).port) // A TCP server that listens has an address of this kind.
    })
  })
}

function sentenceFor({ code, message }: NodeJS.ErrnoException, port: number): string {
  switch (code) {
    case 'EADDRINUSE':
      return `HTTP is not served: port ${port} is in use by another program.`
    case 'EACCES':
      return `HTTP is not served: this user may not open port ${port}.`
    default:
      return `HTTP is not served on port ${port}: ${message}`
  }
}
