// A host with `/mcp` on a port of its own, and a program with a token.

import { openDesk, type Desk } from './desk.ts'
import type { Message } from './bridge.ts'
import { modernMeta } from './revisions.ts'
import { tap } from './tap.ts'

export interface HttpDesk extends Desk {
  mcp: string
  token: string
}

export async function openHttpDesk(policy: { reads?: 'always' | 'ask' | 'first' } = {}): Promise<HttpDesk> {
  const desk = await openDesk({ args: ['--http', '0'] })
  const { http } = desk.ready
  if (http === null || 'trouble' in http) throw new Error(`there is no /mcp: ${JSON.stringify(http)}`)
  await desk.someone.ask('policies.save', { name: 'http', description: '', allow: ['*'], deny: [], reads: policy.reads ?? 'always' })
  const { token } = await desk.someone.ask('tokens.add', { id: 'http', name: 'A program', policy: 'http' })
  return { ...desk, mcp: http.url, token }
}

const headersOf = (token: string): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
})

export interface Heard {
  status: number
  type: string | null
  messages: Message[]
}

export interface Posted {
  token?: string
  headers?: Record<string, string>
  signal?: AbortSignal
  onMessage?: (message: Message) => void
}

/** One request, read to its end, whether it is answered with JSON or with a stream. */
export async function post(url: string, token: string, body: unknown, { headers = {}, signal, onMessage }: Posted = {}): Promise<Heard> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headersOf(token), ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  })
  const type = response.headers.get('content-type')
  const heard: Heard = { status: response.status, type, messages: [] }
  const name = typeof body === 'string' ? undefined : (body as { params?: { name?: unknown } }).params?.name
  const take = (message: Message) => {
    tap(`http-${typeof name === 'string' ? name : 'other'}`, JSON.stringify(message))
    heard.messages.push(message)
    onMessage?.(message)
  }
  let text = ''
  let taken = 0
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    if (type !== 'text/event-stream') continue
    const complete = [...text.slice(0, text.lastIndexOf('\n\n') + 1).matchAll(/^data: (.*)$/gm)].map(([, data]) => data ?? '')
    for (const data of complete.slice(taken)) take(JSON.parse(data) as Message)
    taken = complete.length
  }
  if (type !== 'text/event-stream' && text !== '') take(JSON.parse(text) as Message)
  return heard
}

export const call = (name: string, args: object = {}, id: unknown = 1, meta: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args, ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}) },
})

/** A request of the newest revision, with what its headers repeat. */
export function modern(method: string, params: Record<string, unknown> = {}, id: unknown = 1) {
  const name = params['name'] ?? params['uri']
  return {
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...(typeof name === 'string' ? { 'mcp-name': name } : {}) },
    body: { jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...modernMeta(), ...(params['_meta'] as object | undefined) } } },
  }
}
