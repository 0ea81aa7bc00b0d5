// What every judge does: connect, list five tools, call each of them, while a person says yes.

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { TOOL_NAMES } from '../../src-shared/tools.ts'
import { openDesk } from '../support/desk.ts'
import { dist, type Person } from '../support/host.ts'

/** How a judge launches our bridge, as it stands in the configuration of any client. */
export interface Launch {
  command: string
  args: string[]
  env: Record<string, string>
}

export interface Courtroom {
  launch: Launch
  person: Person
}

export async function openCourt(client: string): Promise<Courtroom> {
  const desk = await openDesk()
  await desk.someone.ask('policies.save', { name: 'court', description: '', allow: ['*'], deny: [], reads: 'always' })
  await desk.someone.ask('clients.register', { id: client, name: client, policy: 'court' })
  const env = { COUNTERSIGN_HOME: desk.home, COUNTERSIGN_NO_START: '1' }
  return { launch: { command: process.execPath, args: [path.join(dist, 'bridge.js'), '--client', client], env }, person: desk.someone }
}

const VALUE = 'a value with "quotes", é and 🔑'

/** The five calls in an order that leaves nothing behind, and what each must come back with. */
const CALLS: { tool: string; args: Record<string, string>; text: string; structured?: object; asks: boolean }[] = [
  {
    tool: 'store_secret',
    args: { name: 'court/token', value: VALUE },
    text: "Stored secret 'court/token'",
    structured: { name: 'court/token', version: 1 },
    asks: true,
  },
  { tool: 'list_secrets', args: {}, text: '["court/token"]', structured: { names: ['court/token'] }, asks: false },
  { tool: 'get_secret', args: { name: 'court/token' }, text: VALUE, asks: false },
  {
    tool: 'test_policy',
    args: { scope: 'court', secret_name: 'court/token' },
    text: 'allowed',
    structured: { allowed: true, rule: 'policy court: reads always' },
    asks: false,
  },
  {
    tool: 'remove_secret',
    args: { name: 'court/token' },
    text: 'Removed: court/token',
    structured: { name: 'court/token', removed: true },
    asks: true,
  },
]

/** A result as far as the judge shows it. */
export interface Heard {
  isError: boolean
  text?: string
  structured?: unknown
}

export interface Judge {
  listTools: () => Promise<string[]>
  call: (tool: string, args: Record<string, string>) => Promise<Heard>
}

/** For judges that show a result as it came. */
export function heard(result: Record<string, unknown>): Heard {
  const { content, structuredContent, isError } = result
  const [{ text }] = content as [{ text: string }]
  return { text, isError: isError === true, ...(structuredContent === undefined ? {} : { structured: structuredContent }) }
}

export async function hear(judge: Judge, person: Person): Promise<void> {
  expect(await judge.listTools()).toEqual([...TOOL_NAMES])
  for (const { tool, args, text, structured, asks } of CALLS) {
    const call = judge.call(tool, args)
    if (asks) expect(await person.answerNext('allow')).toMatchObject({ tool, secret: 'court/token' })
    const result = await call
    expect(Object.keys(result).length).toBeGreaterThan(1)
    expect({ text, structured, ...result }).toEqual({ text, structured, isError: false })
  }
  const gone = await judge.call('get_secret', { name: 'court/token' })
  expect(gone).toEqual({ isError: true, text: 'Error: Secret not found: court/token' })
  const calls = (await person.rows()).filter(({ event }) => event === 'call').map(({ tool, outcome }) => `${tool} ${outcome}`)
  expect(calls.toReversed()).toEqual([...CALLS.map(({ tool }) => `${tool} allowed`), 'get_secret denied'])
}

/** Runs a judge that is a program of its own, in a home of its own. */
export function runJudge(file: string, args: string[], home: string): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const options = { cwd: home, env: { PATH: process.env['PATH'], HOME: home }, maxBuffer: 16 << 20 }
    execFile(process.execPath, [file, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr })
    })
  })
}

export function judgesHome(): string {
  const home = mkdtempSync(path.join(tmpdir(), 'countersign-judge-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}
