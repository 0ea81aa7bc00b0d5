// npm run bench:http [-- SECONDS]: `tools/call` of `list_secrets` over HTTP, 64 connections that stay open, every call on record,
// beside the first SDK's express server in the same run. The limit of calls per second is raised for it, in the settings.

import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fetchJudge } from '../e2e/judges/fetch.ts'
import { startHost } from '../e2e/support/host.ts'
import { load, type Load, type Target } from './load.ts'

const SECONDS = Number(process.argv[2] ?? 5)
const ROUNDS = 3
const WARM_UP_MS = 10_000
const CONNECTIONS = 64
const TARGET = 5
/** Of the other server; ours makes its own. */
const TOKEN = 'x'.repeat(46)
const NAMES = ['aws/key', 'github/token', 'npm/token', 'openai/key', 'stripe/key']
const BODY = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_secrets', arguments: {} } })
const HEADERS = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-11-25' }

const closing: (() => Promise<void> | void)[] = []
const atEnd = (work: () => Promise<void> | void) => void closing.unshift(work)

interface Measured extends Load {
  cpuMicros: number
}

async function ours(): Promise<{ target: Target; pid: number; recorded: () => Promise<number> }> {
  const host = await startHost({ atEnd, args: ['--http', '0'] })
  const person = await host.person()
  atEnd(person.leave)
  await person.ask('settings.set', { callsPerSecond: 100_000, callBurst: 100_000, callsInFlight: 10_000 })
  for (const name of NAMES) await person.ask('secrets.store', { name, value: 'x' })
  const { token } = await person.ask('tokens.add', { id: 'bench', name: 'bench', policy: 'default' })
  const { http } = host.ready
  if (http === null || 'trouble' in http) throw new Error('there is no /mcp')
  return {
    target: { port: Number(new URL(http.url).port), headers: { ...HEADERS, Authorization: `Bearer ${token}` }, body: BODY },
    pid: host.ready.pid,
    recorded: async () => (await person.ask('audit.totals', { filter: { client: ['bench'], outcome: ['allowed'] } })).rows,
  }
}

async function theirs(): Promise<{ target: Target; pid: number }> {
  const sdk = await fetchJudge('@modelcontextprotocol/sdk', '1.32.2')
  if ('missing' in sdk) throw new Error(sdk.missing)
  const script = path.join(import.meta.dirname, 'sdk-server.ts')
  const child: ChildProcess = spawn(process.execPath, [script, sdk.folder, TOKEN, JSON.stringify(NAMES)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  atEnd(() => void child.kill())
  if (child.stdout === null || child.pid === undefined) throw new Error('the SDK server did not start')
  const lines = createInterface({ input: child.stdout })
  const { port } = JSON.parse(await new Promise<string>((resolve) => lines.once('line', resolve))) as { port: number }
  return { target: { port, headers: { ...HEADERS, Authorization: `Bearer ${TOKEN}` }, body: BODY }, pid: child.pid }
}

/** Linux counts in hundredths of a second. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

async function measure({ target, pid }: { target: Target; pid: number }): Promise<Measured> {
  const before = cpuSeconds(pid)
  const result = await load(target, CONNECTIONS, SECONDS * 1000)
  return { ...result, cpuMicros: ((cpuSeconds(pid) - before) * 1e6) / (result.perSecond * SECONDS) }
}

const middle = (rounds: Measured[]): Measured => rounds.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(rounds.length / 2)]!

function row(name: string, { perSecond, p50, p99, cpuMicros, failed }: Measured): string {
  const cells = [Math.round(perSecond), p50.toFixed(1), p99.toFixed(1), Math.round(cpuMicros), failed]
  return `${name.padEnd(34)}${cells.map((cell) => String(cell).padStart(11)).join('')}`
}

const say = (line: string) => void process.stdout.write(`${line}\n`)

async function bench(): Promise<boolean> {
  const [us, them] = [await ours(), await theirs()]
  // Until the compiler has seen enough of either.
  for (const one of [us, them]) await load(one.target, CONNECTIONS, WARM_UP_MS)
  const rounds: { us: Measured[]; them: Measured[] } = { us: [], them: [] }
  // In turns, so that a machine that gets slower gets slower for both.
  for (let round = 0; round < ROUNDS; round++) {
    rounds.us.push(await measure(us))
    rounds.them.push(await measure(them))
  }
  const [mine, other] = [middle(rounds.us), middle(rounds.them)]
  const times = mine.perSecond / other.perSecond
  say(`tools/call of list_secrets, ${CONNECTIONS} connections, ${SECONDS} s, the middle of ${ROUNDS} rounds, limits raised\n`)
  say(`${''.padEnd(34)}${['calls/s', 'p50 ms', 'p99 ms', 'CPU µs', 'failed'].map((head) => head.padStart(11)).join('')}`)
  say(row('Countersign, every call on record', mine))
  say(row('SDK v1 on express, no record', other))
  say(`\n${times.toFixed(1)} times as many (target: ${TARGET}); ${await us.recorded()} calls are in the log`)
  return times >= TARGET && mine.failed === 0 && other.failed === 0
}

try {
  process.exitCode = (await bench()) ? 0 : 1
} finally {
  for (const close of closing) await close()
}
