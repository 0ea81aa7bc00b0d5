// A real bridge process and what an AI client does with it.

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const source = (file: string) => path.join(import.meta.dirname, '..', file)

export const bridgeScript = source('main.ts')
/** The same bridge, installed beside the test's host. */
const besideTestHost = source('testing/bridge.ts')
/** What that installation has for a host. */
export const installedHost = source('testing/headless.js')
const hostScript = fileURLToPath(new URL('./host.ts', import.meta.url))

export interface Answer {
  id?: unknown
  method?: string
  params?: Record<string, unknown>
  result?: { content?: { text: string }[]; isError?: boolean } & Record<string, unknown>
  error?: { code: number; message: string; data?: unknown }
}

export interface Session {
  child: ChildProcess
  say: (message: object | string | Buffer) => void
  /** Sends a request and waits for its answer. */
  ask: (method: string, params?: object) => Promise<Answer>
  /** The text of a tool call's result. */
  call: (tool: string, args: object) => Promise<string>
  /** Every message that came, in order. */
  heard: Answer[]
  next: (matching: (answer: Answer) => boolean) => Promise<Answer>
  stderr: () => string
  /** Exit code or signal. */
  gone: Promise<number | string>
}

export function makeHome(): string {
  const home = mkdtempSync(path.join(os.tmpdir(), 'home-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  return home
}

/** What AI clients hand to the servers they launch. */
export const bare = (home: string): Record<string, string> => ({
  HOME: home,
  PATH: process.env['PATH'] ?? '',
  USER: 'me',
  SHELL: '/bin/sh',
})

/** With a host's absence staying so, unless the test says otherwise. */
export function startBridge(home: string, args: string[] = [], env: Record<string, string> = { COUNTERSIGN_NO_START: '1' }): Session {
  const script = env['COUNTERSIGN_NO_START'] === '1' ? bridgeScript : besideTestHost
  const child = spawn(process.execPath, [script, ...args], { env: { ...bare(home), ...env }, stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const heard: Answer[] = []
  let waiters: { matching: (answer: Answer) => boolean; resolve: (answer: Answer) => void }[] = []
  let stderr = ''
  let rest = ''
  let lastId = 0
  child.stdin.on('error', () => undefined)
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const answer = JSON.parse(line) as Answer
      heard.push(answer)
      waiters = waiters.filter(({ matching, resolve }) => !matching(answer) || (resolve(answer), false))
    }
  })
  const session: Session = {
    child,
    say: (message) =>
      void child.stdin.write(Buffer.isBuffer(message) ? message : `${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
    async ask(method, params = {}) {
      const id = ++lastId
      const answer = session.next((one) => one.id === id)
      session.say({ jsonrpc: '2.0', id, method, params })
      return answer
    },
    async call(tool, args) {
      const { result, error } = await session.ask('tools/call', { name: tool, arguments: args })
      return result?.content?.[0]?.text ?? `${error?.code} ${error?.message}`
    },
    heard,
    next(matching) {
      const already = heard.find(matching)
      return already ? Promise.resolve(already) : new Promise((resolve) => waiters.push({ matching, resolve }))
    },
    stderr: () => stderr,
    gone: once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string),
  }
  return session
}

export async function startTestHost(home: string, env: Record<string, string> = {}): Promise<ChildProcess> {
  const child = spawn(process.execPath, [hostScript], {
    env: { ...bare(home), TEST_HOST_PIPED: '1', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

export async function kill(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

export const folderIn = (home: string): string => path.join(home, '.local', 'share', 'countersign')

export interface Noted {
  method?: string
  params?: { tool?: string; arguments?: { name?: string } } & Record<string, unknown>
  client?: string
  chain?: number[]
  closed?: string
  cancelled?: string
  started?: number
}

/** What the host was told. */
export function notes(home: string): Noted[] {
  const text = readFileSync(path.join(folderIn(home), 'calls.jsonl'), { encoding: 'utf8', flag: 'a+' })
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Noted)
}
