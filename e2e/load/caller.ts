// An AI client that asks a lot: a real bridge, as little work as possible on this side, and a strict eye on who is answered how often.

import { spawn, type ChildProcess } from 'node:child_process'
import path from 'node:path'
import { dist, type AtEnd } from '../support/host.ts'
import { tap } from '../support/tap.ts'

export interface Answer {
  text: string
  isError: boolean
  /** Since it was due, which is when it was sent unless told otherwise. */
  ms: number
}

export interface Caller {
  client: string
  process: ChildProcess
  call: (tool: string, args?: object, due?: number) => Promise<Answer>
  /** Answers to calls that were answered before, or never made. */
  odd: () => number
  unanswered: () => number
  /** Stops reading what the bridge says, as a client that hangs. */
  stopReading: () => void
  readOn: () => void
  leave: () => Promise<void>
}

interface Pending {
  about: string
  due: number
  resolve: (answer: Answer) => void
  reject: (error: Error) => void
}

interface Line {
  id?: number
  result?: { content?: { text: string }[]; isError?: boolean }
  error?: { message: string }
}

export async function startCaller(home: string, client: string, atEnd: AtEnd): Promise<Caller> {
  const env = { ...process.env, COUNTERSIGN_HOME: home, COUNTERSIGN_NO_START: '1' }
  const child = spawn(process.execPath, [path.join(dist, 'bridge.js'), '--client', client], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  const pending = new Map<number, Pending>()
  let [lastId, odd, complaint] = [0, 0, '']
  let rest = ''

  child.stdin.on('error', () => {}) // Whoever is still waiting hears of it when the bridge has left.
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text
    tap('bridge-stderr', text)
  })
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const now = performance.now()
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line, JSON.parse(line) as Line, now)
  })
  const left = new Promise<void>((resolve) => {
    child.once('close', () => {
      for (const { reject } of pending.values()) reject(new Error(`the bridge of ${client} left: ${complaint}`))
      resolve()
    })
  })
  atEnd(async () => {
    child.kill('SIGKILL')
    await left
  })

  function take(text: string, { id, result, error }: Line, now: number): void {
    tap(`bridge-${pending.get(id ?? -1)?.about ?? 'other'}`, text)
    if (id === undefined) return
    const waiting = pending.get(id)
    if (waiting === undefined) return void odd++
    pending.delete(id)
    const said = error?.message ?? result?.content?.[0]?.text ?? ''
    waiting.resolve({ text: said, isError: error !== undefined || result?.isError === true, ms: now - waiting.due })
  }

  const request = (method: string, params: object, about = method, due = performance.now()): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const id = ++lastId
      pending.set(id, { about, due, resolve, reject })
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    })

  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'load', version: '1' } }
  await request('initialize', hello)
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  // The line to the host is made in the background; this waits for it, and is no call.
  await request('resources/list', {})
  return {
    client,
    process: child,
    call: (tool, args = {}, due) => request('tools/call', { name: tool, arguments: args }, tool, due),
    odd: () => odd,
    unanswered: () => pending.size,
    stopReading: () => void child.stdout.pause(),
    readOn: () => void child.stdout.resume(),
    leave: async () => {
      child.stdin.end()
      await left
    },
  }
}
