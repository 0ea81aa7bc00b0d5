// The built host as a process of its own, in a folder of its own, over the test run's real keychain. The person in these tests
// sits at the headless page: logged in with a PIN, answering over the page's own WebSocket.

import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { WebSocket } from 'ws'
import { onTestFinished } from 'vitest'
import type { ApprovalView } from '../../src-shared/approval.ts'
import type { AuditRow } from '../../src-shared/audit.ts'
import { RPC_PROTOCOL } from '../../src-shared/login.ts'
import type { MethodName, ParamsIn, Result } from '../../src-shared/rpc.ts'
import { answering, type Answering } from './answering.ts'
import { tap } from './tap.ts'

export const dist = path.join(import.meta.dirname, '..', '..', 'dist')

export interface Ready {
  event: 'ready'
  socket: string
  store: 'keychain' | 'sealed'
  state: string
  url: string
  /** Where `/mcp` is, or why it is not; null while it is off. */
  http: { url: string } | { trouble: string } | null
  pid: number
  version: string
}

export interface Person {
  ask: <M extends MethodName>(method: M, params?: ParamsIn<M>) => Promise<Result<M>>
  /** Waits until exactly `count` approvals are open. */
  waiting: (count?: number) => Promise<ApprovalView[]>
  answer: Answering['answer']
  /** Shows a request for as long as an allow needs, so that an answer after that is immediate. */
  read: Answering['read']
  /** Answers the next approval that comes up. */
  answerNext: (answer: 'allow' | 'deny') => Promise<ApprovalView>
  /** The next time anything happens, the end of the host included. */
  nextEvent: () => Promise<void>
  rows: () => Promise<AuditRow[]>
  leave: () => void
}

export interface RunningHost {
  home: string
  ready: Ready
  process: ChildProcess
  /** Everything it wrote on standard error so far. */
  stderr: () => string
  person: () => Promise<Person>
  stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

/** Does a piece of work when the test is over; each test runner has its own way. */
export type AtEnd = (work: () => Promise<void> | void) => void

export function freshHome(atEnd: AtEnd = onTestFinished): string {
  const home = mkdtempSync(path.join(tmpdir(), 'countersign-e2e-'))
  atEnd(() => rmSync(home, { recursive: true, force: true }))
  return home
}

export interface StartOptions {
  home?: string
  env?: NodeJS.ProcessEnv
  args?: string[]
  /** The Node to run it with. */
  node?: string
  /** The folder of the built programs, where it is another one. */
  programs?: string
  /** Called as soon as the process runs, long before it is ready. */
  spawned?: (child: ChildProcess) => void
  atEnd?: AtEnd
}

export async function startHost(options: StartOptions = {}): Promise<RunningHost> {
  const { atEnd = onTestFinished, home = freshHome(atEnd), env = {}, args = [], node = process.execPath, programs = dist } = options
  const child = spawn(node, [path.join(programs, 'headless.js'), '--json', '--port', '0', ...args], {
    env: { ...process.env, COUNTERSIGN_HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  options.spawned?.(child)
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    tap('host-stderr', text)
  })
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  atEnd(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const firstLine = new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve))
  const line = await Promise.race([firstLine, exited.then((code) => Promise.reject(new Error(`the host left with ${code}: ${stderr}`)))])
  const ready = JSON.parse(line) as Ready
  return {
    home,
    ready,
    process: child,
    stderr: () => stderr,
    person: () => enter(ready.url),
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal)
      return exited
    },
  }
}

/** The PIN or passphrase of the page. */
export const PAGE_SECRET = 'correct horse battery'

/** What a browser holds after logging in: a cookie, and the token that the page keeps beside it. */
export interface PageSession {
  origin: string
  cookie: string
  pageToken: string
}

/** Logs in; the first time this sets the PIN or passphrase. */
export async function logIn(url: string, secret = PAGE_SECRET): Promise<PageSession> {
  const { origin } = new URL(url)
  const login = await fetch(new URL('/login', origin), {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ secret }),
  })
  if (!login.ok) throw new Error(`the page said ${login.status}: ${await login.text()}`)
  const { pageToken } = (await login.json()) as { pageToken: string } // Our own server's answer.
  return { origin, cookie: (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '', pageToken }
}

export function openPageSocket({ origin, cookie, pageToken }: PageSession): WebSocket {
  return new WebSocket(`${origin.replace('http', 'ws')}/rpc`, [RPC_PROTOCOL, pageToken], { headers: { cookie }, origin })
}

/** Logs in and opens the page's WebSocket. */
export async function enter(url: string, secret = PAGE_SECRET): Promise<Person> {
  const socket = openPageSocket(await logIn(url, secret))
  await new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  return attend(socket)
}

function attend(socket: WebSocket): Person {
  const pending = new Map<number, { method: string; resolve: (result: never) => void; reject: (error: Error) => void }>()
  const listeners = new Set<() => void>()
  let lastId = 0
  socket.on('message', (data) => {
    // A Buffer, unless one asks for something else.
    const message = JSON.parse((data as Buffer).toString()) as {
      id?: number
      result?: unknown
      error?: { code: string; message: string }
      event?: string
    }
    tap(`page-${message.event ?? pending.get(message.id ?? -1)?.method ?? 'other'}`, (data as Buffer).toString())
    if (message.event !== undefined) for (const listener of listeners) listener()
    const waiter = pending.get(message.id ?? -1)
    pending.delete(message.id ?? -1)
    if (message.error) waiter?.reject(new Error(`${message.error.code}: ${message.error.message}`))
    else waiter?.resolve(message.result as never)
  })
  socket.on('close', () => {
    for (const { reject } of pending.values()) reject(new Error('the page lost its host'))
    pending.clear()
    for (const listener of listeners) listener()
  })

  const ask: Person['ask'] = (method, params) =>
    new Promise((resolve, reject) => {
      if (socket.readyState !== WebSocket.OPEN) return reject(new Error('the page lost its host'))
      const id = ++lastId
      pending.set(id, { method, resolve, reject })
      socket.send(JSON.stringify({ id, method, params: params ?? {} }))
    })
  const nextEvent = () =>
    new Promise<void>((resolve) => {
      const listener = () => {
        listeners.delete(listener)
        resolve()
      }
      listeners.add(listener)
    })
  const waiting = async (count = 1): Promise<ApprovalView[]> => {
    for (;;) {
      const change = nextEvent()
      const { open } = await ask('approvals.list')
      if (open.length === count) return open
      await change
    }
  }
  const { read, answer } = answering(ask)

  return {
    ask,
    waiting,
    answer,
    read,
    answerNext: async (what) => {
      for (;;) {
        const change = nextEvent()
        const [approval] = (await ask('approvals.list')).open
        if (approval !== undefined && (await answer(approval, what))) return approval
        await change
      }
    },
    nextEvent,
    rows: async () => (await ask('audit.query', { limit: 1000 })).rows,
    leave: () => socket.close(),
  }
}
