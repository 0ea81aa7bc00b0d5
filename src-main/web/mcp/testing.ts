// For the tests of this folder: a whole host with `/mcp` on a port of its own, and requests as a client would send them.

import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { openTestHost, type TestHost } from '../../host/testing/test-host.ts'
import type { Peer } from '../../host/connection.ts'
import { MODERN } from '../../mcp/revisions.ts'
import { MODERN_META } from '../../mcp/testing.ts'
import { serveMcp, type McpHttp } from './server.ts'

export interface Answered {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** The body as JSON; null where it is none. */
  json: Message | null
  /** The messages of a stream. */
  events: Message[]
}

export interface Message {
  jsonrpc?: string
  id?: unknown
  method?: string
  params?: Record<string, unknown>
  result?: Record<string, unknown> & { content?: { text: string }[] }
  error?: { code: number; message: string; data?: unknown }
}

export interface Desk extends TestHost {
  mcp: McpHttp
  port: number
  token: string
  bugs: unknown[]
  /** Makes another client; returns its token. */
  client: (id: string, policy?: string) => Promise<string>
}

const PEER: Peer = { steps: [{ pid: 1, name: 'curl', exe: '/usr/bin/curl', started: 1 }], proven: true }

/** One desk for all tests of a file that leave nothing behind. */
export function sharedDesk(): () => Desk {
  const closing: (() => Promise<void>)[] = []
  let desk: Desk | undefined
  beforeAll(async () => {
    desk = await openDesk((close) => closing.unshift(close))
  })
  afterAll(async () => {
    for (const close of closing) await close()
  })
  return () => {
    if (desk === undefined) throw new Error('the desk is not open')
    return desk
  }
}

export async function openDesk(atEnd: (close: () => Promise<void>) => void = onTestFinished): Promise<Desk> {
  const host = await openTestHost(undefined, undefined, atEnd)
  const bugs: unknown[] = []
  const mcp = await serveMcp({ host: host.host, port: 0, inspect: () => Promise.resolve(PEER), onBug: (error) => bugs.push(error) })
  atEnd(() => mcp.close())
  const client = async (id: string, policy = 'default') => (await host.window('tokens.add', { id, name: id, policy })).token
  return { ...host, mcp, port: Number(new URL(mcp.url).port), bugs, client, token: await client('curl') }
}

export interface Sent {
  token?: string | null
  method?: string
  path?: string
  headers?: Record<string, string | string[] | undefined>
  body?: unknown
  /** Called with each message of a stream as it comes. */
  onEvent?: (message: Message) => void
  signal?: AbortSignal
}

export const ACCEPT = 'application/json, text/event-stream'

/** One request; everything a client must send is there unless it is overridden. */
export function send(
  desk: Desk,
  { token = desk.token, method = 'POST', path = '/mcp', headers = {}, body, onEvent, signal }: Sent,
): Promise<Answered> {
  const usual = {
    'Content-Type': 'application/json',
    Accept: ACCEPT,
    ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
  }
  const all = Object.fromEntries(Object.entries({ ...usual, ...headers }).filter(([, value]) => value !== undefined))
  const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      host: '127.0.0.1',
      port: desk.port,
      path,
      method,
      headers: all,
      ...(signal === undefined ? {} : { signal }),
    })
    request.on('error', reject)
    request.on('response', (response) => {
      let received = ''
      const events: Message[] = []
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        received += chunk
        for (const message of eventsIn(received).slice(events.length)) {
          events.push(message)
          onEvent?.(message)
        }
      })
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: received, json: parsed(received), events }),
      )
    })
    request.end(text)
  })
}

function eventsIn(text: string): Message[] {
  const complete = text.slice(0, text.lastIndexOf('\n\n') + 1)
  return [...complete.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? '') as Message)
}

function parsed(text: string): Message | null {
  try {
    return JSON.parse(text) as Message
  } catch {
    return null
  }
}

export const rpc = (method: string, params?: object, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
})
export const callOf = (name: string, args: object = {}, id: unknown = 1) => rpc('tools/call', { name, arguments: args }, id)
export const saying = (version: string) => ({ 'MCP-Protocol-Version': version })

/** A request of the newest revision, with everything its headers repeat. */
export function modern(method: string, params: Record<string, unknown> = {}, id: unknown = 1): Required<Pick<Sent, 'headers' | 'body'>> {
  const name = params['name'] ?? params['uri']
  const meta = { ...MODERN_META, ...(params['_meta'] as object | undefined) }
  return {
    headers: { ...saying(MODERN), 'Mcp-Method': method, ...(typeof name === 'string' ? { 'Mcp-Name': name } : {}) },
    body: rpc(method, { ...params, _meta: meta }, id),
  }
}

export const textOf = (answered: Answered): string | undefined => answered.json?.result?.content?.[0]?.text

/** Bytes as they are; resolves with everything that came back when the connection ended. */
export function raw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let received = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => (received += chunk))
    socket.on('error', () => resolve(received))
    socket.on('close', () => resolve(received))
    socket.write(bytes, 'latin1')
  })
}
