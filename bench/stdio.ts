// A server over stdio as its client sees it, with as little work on this side as possible.

import { spawn, type ChildProcess } from 'node:child_process'
import type { Program } from './peers.ts'

const INFO = { name: 'bench', version: '1' }
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': INFO,
}

export interface Ask {
  method: string
  params: object
}
export const INITIALIZE: Ask = { method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO } }
export const DISCOVER: Ask = { method: 'server/discover', params: { _meta: META } }
export const LIST_TOOLS: Ask = { method: 'tools/list', params: {} }
export const callOf = (call: { name: string; arguments: object }): Ask => ({ method: 'tools/call', params: call })

const line = (id: number, { method, params }: Ask) => `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`

function start({ command, args, env }: Program, ownEnv: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(command, args, { env: { ...ownEnv, ...env }, stdio: ['pipe', 'pipe', 'ignore'] })
  child.stdin?.on('error', () => undefined)
  return child
}

/** Without what would make only some of them slower: extra certificates cost every start of Node 50 ms. */
function plainEnv(): NodeJS.ProcessEnv {
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...rest } = process.env
  return rest
}

/** Milliseconds from nothing to the first answer, or to the end of a program that answers nothing. */
export async function coldStart(program: Program, first: Ask): Promise<number> {
  const began = performance.now()
  const child = start(program, plainEnv())
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  if (program.call === null) {
    await exited
    return performance.now() - began
  }
  child.stdin?.write(line(1, first))
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once('data', () => resolve())
    child.once('exit', () => reject(new Error(`${program.title} left without an answer`)))
  })
  const took = performance.now() - began
  child.kill('SIGKILL')
  await exited
  return took
}

export interface Conversation {
  program: Program
  pid: number
  /** Milliseconds until the answer. */
  time: (ask: Ask) => Promise<number>
  /** The answer itself, read. */
  ask: (ask: Ask) => Promise<{ result?: unknown; error?: unknown }>
  /** So many at once for so long, of each in turn; resolves with how many were answered in how many seconds. */
  flood: (asks: readonly Ask[], inFlight: number, ms: number) => Promise<{ calls: number; seconds: number }>
  close: () => Promise<void>
}

/** Past its handshake. */
export async function converse(program: Program): Promise<Conversation> {
  const child = start(program, plainEnv())
  const { stdin, stdout, pid } = child
  if (stdin === null || stdout === null || pid === undefined) throw new Error(`${program.title} did not start`)
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let lastId = 0
  let tail = ''
  let onLines: (count: number) => void = () => undefined
  let kept: string | null = null
  stdout.on('data', (chunk: Buffer) => {
    if (kept !== null) kept += chunk.toString()
    let count = 0
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) count++
    if (count > 0) onLines(count)
  })

  const time = (ask: Ask): Promise<number> =>
    new Promise((resolve) => {
      const began = performance.now()
      onLines = () => resolve(performance.now() - began)
      stdin.write(line(++lastId, ask))
    })

  const ask: Conversation['ask'] = async (what) => {
    kept = ''
    await time(what)
    tail = kept
    kept = null
    return JSON.parse(tail) as { result?: unknown; error?: unknown }
  }

  const flood: Conversation['flood'] = (asks, inFlight, ms) =>
    new Promise((resolve) => {
      const began = performance.now()
      let answered = 0
      let open = 0
      const send = (count: number) => {
        let text = ''
        for (let n = 0; n < count; n++) text += line(++lastId, asks[lastId % asks.length] ?? LIST_TOOLS)
        open += count
        stdin.write(text)
      }
      onLines = (count) => {
        answered += count
        open -= count
        const passed = performance.now() - began
        if (passed < ms) send(count)
        else if (open === 0) resolve({ calls: answered, seconds: passed / 1000 })
      }
      send(inFlight)
    })

  await ask(INITIALIZE)
  stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  return {
    program,
    pid,
    time,
    ask,
    flood,
    close: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}
