// Starts the registered command the way an AI client would, in a bare environment, and speaks to it in both eras of the protocol.

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { TrialReport } from '../../src-shared/registration.ts'
import { TOOL_NAMES } from '../../src-shared/tools.ts'
import type { Launch } from './facts.ts'

/** All that a client's child can count on. */
const PASSED_ON = ['HOME', 'PATH', 'USER', 'SHELL', 'USERPROFILE', 'SystemRoot', 'APPDATA', 'LOCALAPPDATA']
const ANSWER_MS = 10_000

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'countersign-test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

type Answer = Record<string, unknown>
type Talk = (method: string, params: object) => Promise<Answer>

export async function tryLaunch(client: string, launch: Launch, env: Record<string, string | undefined>): Promise<TrialReport> {
  const steps: TrialReport['steps'] = []
  const report = (): TrialReport => ({
    client,
    command: [launch.command, ...launch.args],
    ok: steps.length === STEPS && steps.every(({ ok }) => ok),
    steps,
  })
  for (const era of ['before 2026', '2026'] as const) {
    const fine = await withProcess(launch, env, (talk, tell) => converse(era, talk, tell, steps))
    if (!fine) break
  }
  return report()
}

const STEPS = 6

async function converse(
  era: 'before 2026' | '2026',
  talk: Talk,
  tell: (method: string) => void,
  steps: TrialReport['steps'],
): Promise<boolean> {
  const modern = era === '2026'
  const params = (own: object) => (modern ? { ...own, _meta: META } : own)
  const step = async (name: string, act: () => Promise<string>): Promise<boolean> => {
    const started = performance.now()
    const result = await act().then(
      (detail) => ({ ok: true, detail }),
      (error: unknown) => ({ ok: false, detail: error instanceof Error ? error.message : String(error) }),
    )
    steps.push({ name: `${name} (${era})`, ...result, ms: Math.round(performance.now() - started) })
    return result.ok
  }
  return (
    (await step('handshake', async () => {
      if (modern) return `discovered ${((await talk('server/discover', params({})))['supportedVersions'] as string[]).join(', ')}`
      const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'countersign-test', version: '1' } }
      const answer = await talk('initialize', hello)
      tell('notifications/initialized')
      return `agreed on ${String(answer['protocolVersion'])}`
    })) &&
    (await step('list the tools', async () => {
      const names = ((await talk('tools/list', params({})))['tools'] as { name: string }[]).map(({ name }) => name)
      const lacking = TOOL_NAMES.filter((name) => !names.includes(name))
      if (lacking.length > 0) throw new Error(`these are lacking: ${lacking.join(', ')}`)
      return names.join(', ')
    })) &&
    (await step('call list_secrets', async () => {
      const answer = await talk('tools/call', params({ name: 'list_secrets', arguments: {} }))
      const text = (answer['content'] as { text?: string }[] | undefined)?.[0]?.text ?? ''
      if (answer['isError'] === true) throw new Error(text)
      // How many, not which: the card is no place for the list.
      return `sees ${(JSON.parse(text) as unknown[]).length} names`
    }))
  )
}

async function withProcess<T>(
  { command, args, env: own }: Launch,
  env: Record<string, string | undefined>,
  work: (talk: Talk, tell: (method: string) => void) => Promise<T>,
): Promise<T> {
  const bare = Object.fromEntries(PASSED_ON.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))
  const child = spawn(command, args, { env: { ...bare, ...own }, stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true })
  const pending = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>()
  let gone: Error | null = null
  let lastId = 0
  const end = (error: Error) => {
    gone ??= error
    for (const { reject } of pending.values()) reject(error)
    pending.clear()
  }
  child.on('error', (error) => end(new Error(`it does not start: ${error.message}`)))
  child.on('exit', (code, signal) => end(new Error(`it left with ${code ?? signal}`)))
  child.stdin.on('error', () => {}) // That it left is told above.
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = parse(line)
    const waiting = typeof message?.id === 'number' ? pending.get(message.id) : undefined
    if (message === null || waiting === undefined || message.method !== undefined) return
    pending.delete(message.id as number)
    if (message.result === undefined) waiting.reject(new Error(message.error?.message ?? 'it answered without a result'))
    else waiting.resolve(message.result)
  })
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const talk: Talk = (method, params) =>
    new Promise((resolve, reject) => {
      if (gone !== null) return reject(gone)
      const id = ++lastId
      const timer = setTimeout(() => {
        pending.delete(id)
        reject(new Error(`it did not answer ${method} within ${ANSWER_MS / 1000} s`))
      }, ANSWER_MS)
      const settle =
        <A>(how: (value: A) => void) =>
        (value: A) => {
          clearTimeout(timer)
          how(value)
        }
      pending.set(id, { resolve: settle(resolve), reject: settle(reject) })
      send({ id, method, params })
    })
  try {
    return await work(talk, (method) => send({ method }))
  } finally {
    child.stdin.end()
    if (child.exitCode === null && child.pid !== undefined) child.kill()
  }
}

interface Message {
  id?: unknown
  method?: string
  result?: Answer
  error?: { message: string }
}

function parse(line: string): Message | null {
  try {
    return JSON.parse(line) as Message | null
  } catch {
    return null // Whatever it was, it is no answer, and waiting for one will end.
  }
}
