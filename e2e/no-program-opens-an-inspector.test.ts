// Node opens its inspector at a signal, an option or a variable, on a port that every program of this computer reaches. Over it any of
// them could run code in the host. Each way is tried on each program; the desktop app has its own test (e2e/electron).

import { spawn, type ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDesk } from './support/desk.ts'
import { dist, freshHome } from './support/host.ts'
import { listening } from './support/listening.ts'
import { until } from './support/screen.ts'

/** The names of its threads. The inspector has one of its own; another one, `SignalInspector`, waits for the signal in every Node. */
function threads(pid: number): string[] {
  return readdirSync(`/proc/${pid}/task`).map((task) => readFileSync(`/proc/${pid}/task/${task}/comm`, 'utf8').trim())
}

interface Started {
  child: ChildProcess
  stderr: () => string
  exited: Promise<number | null>
}

function start(args: string[], { home = freshHome(), ...env }: NodeJS.ProcessEnv & { home?: string } = {}): Started {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, COUNTERSIGN_HOME: home, COUNTERSIGN_NO_START: '1', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  child.stdin.on('error', () => {})
  child.stdout.resume()
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return { child, stderr: () => stderr, exited }
}

const SENTENCE = 'countersign: this program does not run under a debugger.'
const PROGRAMS = ['bridge.js', 'cli.js mcp', 'cli.js', 'headless.js', 'host.js', 'keychain-helper.js'] as const
const script = (program: string): string[] => {
  const [file = '', ...words] = program.split(' ')
  return [path.join(dist, file), ...words]
}

describe.runIf(process.platform === 'linux')('SIGUSR1', () => {
  test('opens nothing in host, keychain helper, bridge and command line, which go on serving', async () => {
    const { client, someone, put, home, ready, stderr } = await openDesk()
    await put({ token: 'v' })
    const bridge = await client('cursor', { reads: 'always' })
    expect(await bridge.call('get_secret', { name: 'token' })).toBe('v')
    const cli = start([...script('cli.js'), 'remove', 'token'], { home })
    await someone.waiting(1)
    const helper = childrenOf(ready.pid).find((pid) => commandOf(pid).includes('keychain-helper'))
    const pids = [ready.pid, helper, bridge.process.pid, cli.child.pid].map((pid) => pid ?? 0)
    expect(pids).not.toContain(0)
    const before = pids.map(listening)
    for (const pid of pids) process.kill(pid, 'SIGUSR1')
    // A value comes through three of them: after that the signals have had their effect.
    expect(await bridge.call('get_secret', { name: 'token' })).toBe('v')
    expect(pids.map(listening)).toEqual(before)
    for (const pid of pids) expect(threads(pid).filter((name) => name !== 'SignalInspector' && /inspector/i.test(name))).toEqual([])
    await someone.answerNext('deny')
    await cli.exited
    expect([stderr(), bridge.stderr(), cli.stderr()].join('')).not.toContain('Debugger')
  })

  test('opens one in a program that does nothing about it: the test above looks where something could be', async () => {
    const { child, stderr } = start(['-e', 'process.stdout.write("1"); setInterval(() => {}, 1000)'])
    await new Promise((resolve) => child.stdout?.once('data', resolve))
    process.kill(child.pid ?? 0, 'SIGUSR1')
    await until('the inspector', () => Promise.resolve(stderr().includes('Debugger listening')))
    expect(listening(child.pid ?? 0)).toBe(1)
  })
})

const childrenOf = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  )
const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8')

describe.each(PROGRAMS)('%s', (program) => {
  const outcome = async ({ stderr, exited }: Started) => ({ code: await exited, said: stderr().includes(SENTENCE) })
  const REFUSED = { code: 2, said: true }

  test('does not run with --inspect', async () => {
    expect(await outcome(start(['--inspect=0', ...script(program)]))).toEqual(REFUSED)
  })

  test('does not run with NODE_OPTIONS that ask for it, however they are written', async () => {
    expect(await outcome(start(script(program), { NODE_OPTIONS: '--no-warnings --in"sp"ect=0' }))).toEqual(REFUSED)
  })

  test('does not run with a file of options that asks for it', async () => {
    const file = path.join(freshHome(), 'node.config.json')
    writeFileSync(file, '{ "nodeOptions": { "inspect": true, "inspect-port": 0 } }')
    expect(await outcome(start([`--experimental-config-file=${file}`, ...script(program)]))).toEqual(REFUSED)
  })
})
