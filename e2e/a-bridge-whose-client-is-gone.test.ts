// A client that ends without a word, while somebody else still holds the bridge's standard input open.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, existsSync, openSync, writeSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import { dist, freshHome } from './support/host.ts'

/** Starts a program with its own standard input and output, and tells its pid. */
const LAUNCHER = `
  const { spawn } = require('node:child_process')
  const [program, ...args] = process.argv.slice(1)
  process.stderr.write(spawn(program, args, { stdio: 'inherit' }).pid + '\\n')
`

interface Launched {
  launcher: ChildProcess
  pid: number
  /** Waits for the answer. */
  ping: () => Promise<void>
}

/** The test itself holds the standard input: a pipe of Node's own would be closed with the process it belongs to. */
async function launch(program: string[]): Promise<Launched> {
  const home = freshHome()
  const input = path.join(home, '..', `${path.basename(home)}-input`)
  spawnSync('mkfifo', [input])
  const held = openSync(input, constants.O_RDWR)
  const env = { ...process.env, COUNTERSIGN_HOME: home, COUNTERSIGN_NO_START: '1' }
  const launcher = spawn(process.execPath, ['-e', LAUNCHER, ...program], { env, stdio: [held, 'pipe', 'pipe'] })
  const { stdout, stderr } = launcher
  if (stdout === null || stderr === null) throw new Error('the launcher has no output')
  const [line] = (await once(createInterface({ input: stderr }), 'line')) as [string]
  const pid = Number(line)
  onTestFinished(() => {
    launcher.kill('SIGKILL')
    if (isAlive(pid)) process.kill(pid, 'SIGKILL')
    closeSync(held)
    spawnSync('rm', ['-f', input])
  })
  const lines = createInterface({ input: stdout })
  const ping = async () => {
    const answered = once(lines, 'line')
    writeSync(held, '{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    const [answer] = (await answered) as [string]
    expect(JSON.parse(answer)).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
  }
  return { launcher, pid, ping }
}

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`)

describe.runIf(process.platform === 'linux')('while somebody holds its standard input', () => {
  test.each([
    ['the bridge', ['bridge.js']],
    ['countersign mcp', ['cli.js', 'mcp']],
  ])('%s leaves when the program that started it is gone', async (_name, [file = '', ...words]) => {
    const { launcher, pid, ping } = await launch([process.execPath, path.join(dist, file), ...words])
    await ping()
    launcher.kill('SIGKILL')
    // Five seconds are promised; this machine may be busy.
    await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false)
  })
})
