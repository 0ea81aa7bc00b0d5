// `tools/call` of `list_secrets` over HTTP, 64 connections that stay open, every call on record, beside either SDK's own server.

import { spawn, type ChildProcess } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { AtEnd } from '../e2e/support/host.ts'
import { load, type Load, type Target } from './load.ts'
import { median } from './numbers.ts'
import { openOurs, VISIBLE } from './ours.ts'
import { fetchPeer, PINNED, placed } from './peers.ts'
import { cpuSeconds } from './processes.ts'

const CONNECTIONS = 64
/** Of the other servers; ours makes its own. */
const TOKEN = 'x'.repeat(46)
const BODY = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_secrets', arguments: {} } })
const HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-11-25' }

export interface HttpEffort {
  rounds: number
  ms: number
  warmUpMs: number
}

export interface HttpFigures extends Load {
  id: string
  title: string
  cpuMicros: number
}

interface Server {
  id: string
  title: string
  target: Target
  pid: number
}

export async function measureHttp(atEnd: AtEnd, { rounds, ms, warmUpMs }: HttpEffort): Promise<HttpFigures[]> {
  const servers = [await ours(atEnd), await sdk1(atEnd), await sdk2(atEnd)]
  // Until the compiler has seen enough of each.
  for (const { target } of servers) await load(target, CONNECTIONS, warmUpMs)
  const measured = servers.map(() => [] as (Load & { cpuMicros: number })[])
  for (let round = 0; round < rounds; round++) {
    for (const [index, { target, pid }] of servers.entries()) {
      const before = cpuSeconds(pid)
      const result = await load(target, CONNECTIONS, ms)
      measured[index]?.push({ ...result, cpuMicros: ((cpuSeconds(pid) - before) * 1e6) / ((result.perSecond * ms) / 1000) })
    }
  }
  return servers.map(({ id, title }, index) => {
    const of = (figure: keyof Load | 'cpuMicros') => median((measured[index] ?? []).map((one) => one[figure]))
    const failed = (measured[index] ?? []).reduce((sum, one) => sum + one.failed, 0)
    return { id, title, perSecond: of('perSecond'), p50: of('p50'), p99: of('p99'), cpuMicros: of('cpuMicros'), failed }
  })
}

async function ours(atEnd: AtEnd): Promise<Server> {
  const { host, person } = await openOurs(atEnd, { args: ['--http', '0'] })
  const { token } = await person.ask('tokens.add', { id: 'bench-http', name: 'bench', policy: 'bench' })
  person.leave()
  const { http } = host.ready
  if (http === null || 'trouble' in http) throw new Error('there is no /mcp')
  return { id: 'ours', title: 'Countersign', target: target(Number(new URL(http.url).port), token), pid: host.ready.pid }
}

async function sdk1(atEnd: AtEnd): Promise<Server> {
  const folder = await fetchPeer(PINNED.sdk1)
  const args = [
    path.join(import.meta.dirname, 'sdk-server.ts'),
    path.join(folder, 'node_modules', PINNED.sdk1[0]),
    TOKEN,
    JSON.stringify(VISIBLE),
  ]
  return { id: 'sdk1', title: 'SDK v1 on express', ...(await started(args, atEnd)) }
}

async function sdk2(atEnd: AtEnd): Promise<Server> {
  const args = [placed('sdk2-http.mjs', await fetchPeer(PINNED.sdk2Http)), TOKEN]
  return { id: 'sdk2', title: 'SDK v2 on node:http', ...(await started(args, atEnd)) }
}

async function started(args: string[], atEnd: AtEnd): Promise<Pick<Server, 'target' | 'pid'>> {
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  atEnd(() => void child.kill())
  if (child.stdout === null || child.pid === undefined) throw new Error('an SDK server did not start')
  const lines = createInterface({ input: child.stdout })
  const { port } = JSON.parse(await new Promise<string>((resolve) => lines.once('line', resolve))) as { port: number }
  return { target: target(port, TOKEN), pid: child.pid }
}

const target = (port: number, token: string): Target => ({ port, headers: { ...HEADERS, Authorization: `Bearer ${token}` }, body: BODY })
