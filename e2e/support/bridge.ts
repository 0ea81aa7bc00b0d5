// The built bridge as an AI client would start it, spoken to line by line.

import { spawn, type ChildProcess } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { dist, type AtEnd } from './host.ts'
import { tap } from './tap.ts'

export interface Message {
  jsonrpc: '2.0'
  id?: unknown
  method?: string
  params?: Record<string, unknown>
  result?: Record<string, unknown>
  error?: { code: number; message: string; data?: unknown }
}

export interface RunningBridge {
  process: ChildProcess
  /** Everything it has written on standard output, parsed. */
  messages: Message[]
  stderr: () => string
  /** Writes bytes or text as they are. */
  write: (data: string | Buffer) => void
  send: (message: object) => void
  /** Sends a request and waits for the answer with its id. */
  request: (method: string, params?: unknown) => Promise<Message>
  /** The next message that fits, also one that came before. */
  find: (fits: (message: Message) => boolean) => Promise<Message>
  initialize: (protocolVersion?: string) => Promise<Message>
  /** Calls a tool; returns its text. */
  call: (tool: string, args?: unknown) => Promise<string>
  exited: Promise<number | null>
}

export interface BridgeOptions {
  home: string
  client?: string
  /** In place of the inherited environment, in which it may not start a host: one that nobody ends would outlive the test. */
  env?: NodeJS.ProcessEnv
  node?: string
  /** `countersign mcp` is the bridge too. */
  program?: ['bridge.js'] | ['cli.js', 'mcp']
  /** The folder of the built programs, where it is another one. */
  programs?: string
  atEnd?: AtEnd
}

export function startBridge(options: BridgeOptions): RunningBridge {
  const { home, client, env, node = process.execPath, program = ['bridge.js'], programs = dist, atEnd = onTestFinished } = options
  const [file, ...words] = program
  const args = [path.join(programs, file), ...words, ...(client === undefined ? [] : ['--client', client])]
  const usual = { ...process.env, COUNTERSIGN_HOME: home, COUNTERSIGN_NO_START: '1' }
  const child = spawn(node, args, { env: env ?? usual, stdio: ['pipe', 'pipe', 'pipe'] })
  const messages: Message[] = []
  /** What each request was about. */
  const asked = new Map<string, string>()
  const listeners = new Set<() => void>()
  let stderr = ''
  let lastId = 0
  let over = false
  const changed = () => {
    for (const listener of listeners) listener()
  }
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    tap('bridge-stderr', text)
  })
  // A bridge that has left cannot be written to; the test that killed it knows.
  child.stdin.on('error', () => {})
  // Readline, as in many a client: it ends lines in more places than our bridge does.
  createInterface({ input: child.stdout }).on('line', (line) => {
    tap(`bridge-${asked.get(idIn(line)) ?? 'other'}`, line)
    messages.push(...([JSON.parse(line)] as (Message | Message[])[]).flat())
    changed()
  })
  const exited = new Promise<number | null>((resolve) => {
    child.once('close', (code) => {
      over = true
      changed()
      resolve(code)
    })
  })
  atEnd(async () => {
    child.kill('SIGKILL')
    await exited
  })

  const find = (fits: (message: Message) => boolean): Promise<Message> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = messages.find(fits)
        if (found === undefined && !over) return
        listeners.delete(look)
        if (found === undefined) reject(new Error(`the bridge left: ${stderr}`))
        else resolve(found)
      }
      listeners.add(look)
      look()
    })
  const write = (data: string | Buffer) => void child.stdin.write(data)
  const send = (message: object) => write(`${JSON.stringify(message)}\n`)
  const request = (method: string, params?: unknown): Promise<Message> => {
    const id = `r${++lastId}`
    asked.set(id, (params as { name?: string } | undefined)?.name ?? method)
    send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) })
    return find((message) => message.id === id && message.method === undefined)
  }

  return {
    process: child,
    messages,
    stderr: () => stderr,
    write,
    send,
    request,
    find,
    initialize: async (protocolVersion = '2025-11-25') => {
      const answer = await request('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'e2e', version: '1' } })
      send({ jsonrpc: '2.0', method: 'notifications/initialized' })
      return answer
    },
    call: async (tool, args) => textOf(await request('tools/call', { name: tool, arguments: args })),
    exited,
  }
}

/** Ours are words without quotes. */
const idIn = (line: string): string => /"id":"(r\d+)"/.exec(line)?.[1] ?? ''

/** The text of a tool's result, or the error in its place. */
export function textOf(message: Message): string {
  const content = message.result?.['content'] as { text: string }[] | undefined
  return content?.[0]?.text ?? JSON.stringify(message.error)
}
