// The real AI clients read what we wrote into their files, and those that connect without a login reach the running host.

import { execFile } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { TOOL_NAMES } from '../../src-shared/tools.ts'
import { startHost } from '../support/host.ts'
import { fetchJudge, type Fetched } from './fetch.ts'
import { judgesHome } from './support.ts'

interface RealClient {
  client: string
  package: string
  version: string
  /** Its program, from the folder of its package; a script for Node, or a program of its own. */
  program: string
  args: string[]
  env?: Record<string, string>
  /** What shows that the client is here, before its file is. */
  folder: string
  says: RegExp
}

const CLIENTS: RealClient[] = [
  {
    client: 'claude-code',
    package: '@anthropic-ai/claude-code',
    version: '2.1.325',
    program: 'cli-wrapper.cjs',
    args: ['mcp', 'list'],
    folder: '.claude',
    says: /countersign: .*Connected/,
  },
  {
    client: 'codex',
    package: '@openai/codex',
    version: '0.166.0',
    program: 'bin/codex.js',
    args: ['mcp', 'list', '--json'],
    folder: '.codex',
    says: /"name": "countersign"[^]*"enabled": true[^]*"tool_timeout_sec": 900/,
  },
  {
    client: 'gemini-cli',
    package: '@google/gemini-cli',
    version: '0.61.0',
    program: 'bundle/gemini.js',
    args: ['mcp', 'list'],
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    folder: '.gemini',
    says: /countersign: .*Connected/,
  },
  {
    client: 'opencode',
    package: 'opencode-ai',
    version: '1.18.33',
    program: `../opencode-${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}/bin/opencode`,
    args: ['mcp', 'list'],
    folder: '.config/opencode',
    says: /countersign[^]*connected/,
  },
  {
    client: 'copilot-cli',
    package: '@github/copilot',
    version: '1.0.102',
    program: 'npm-loader.js',
    args: ['mcp', 'list'],
    folder: '.copilot',
    says: /countersign/,
  },
]

const fetched = new Map<string, Fetched>()
for (const { package: name, version } of CLIENTS) fetched.set(name, await fetchJudge(name, version))
const mcporter = await fetchJudge('mcporter', '0.12.3')

/** A host over a home in which one client has just been installed, and registered. */
async function registered(client: string, folder: string) {
  const home = judgesHome()
  mkdirSync(path.join(home, folder), { recursive: true })
  const host = await startHost({ env: { HOME: home, XDG_CONFIG_HOME: '' } })
  const person = await host.person()
  const info = await person.ask('registrations.add', { client, policy: 'default' })
  expect(info.state).toBe('registered')
  return { home, data: host.home, person }
}

test.for(CLIENTS)('$client reads its entry', async (real, { skip }) => {
  const judge = fetched.get(real.package) ?? { missing: `${real.package} was not looked for` }
  if ('missing' in judge) return skip(judge.missing)
  const program = path.join(judge.folder, real.program)
  if (!existsSync(program)) return skip(`${real.package} ${real.version} has no program for this system`)
  const { home, person } = await registered(real.client, real.folder)
  expect(await run(program, real.args, home, real.env)).toMatch(real.says)
  // Having been read by its client, it still is as we wrote it.
  const after = (await person.ask('registrations.list')).find(({ id }) => id === real.client)
  expect(after?.state).toBe('registered')
})

test.for([
  ['cursor', '.cursor'],
  ['claude-code', '.claude'],
  ['codex', '.codex'],
  ['windsurf', '.codeium/windsurf'],
  ['opencode', '.config/opencode'],
  ['vscode', '.config/Code/User'],
] as const)('mcporter finds us in the file of %s, and connects', async ([client, folder], { skip }) => {
  if ('missing' in mcporter) return skip(mcporter.missing)
  const { home, data, person } = await registered(client, folder)
  const ask = async (...words: string[]): Promise<Record<string, unknown>> => {
    // Of an entry of opencode it does not take over the environment, so there it is told where this host lives.
    const env = client === 'opencode' ? { COUNTERSIGN_HOME: data } : {}
    return JSON.parse(await run(path.join(mcporter.folder, 'dist', 'cli.js'), words, home, env)) as Record<string, unknown>
  }
  const { tools } = await ask('list', 'countersign', '--json')
  expect((tools as { name: string }[]).map(({ name }) => name)).toEqual([...TOOL_NAMES])
  // The tools the bridge can list by itself; this only the host can answer, and it knows who asks.
  expect(await ask('call', 'countersign.list_secrets', '--output', 'json')).toEqual({ names: [] })
  const calls = (await person.rows()).filter(({ event }) => event === 'call').map(({ client, tool, outcome }) => [client, tool, outcome])
  expect(calls).toEqual([[client, 'list_secrets', 'allowed']])
})

/** What it says, whatever it ends with. */
function run(program: string, args: string[], home: string, env: Record<string, string> = {}): Promise<string> {
  const isScript = /\.c?js$/.test(program)
  const [file, words] = isScript ? [process.execPath, [program, ...args]] : [program, args]
  const options = { cwd: home, env: { PATH: process.env['PATH'], HOME: home, ...env }, maxBuffer: 16 << 20, timeout: 120_000 }
  return new Promise((resolve) => {
    execFile(file, words, options, (_, stdout, stderr) => resolve(stdout === '' ? stderr : stdout))
  })
}
