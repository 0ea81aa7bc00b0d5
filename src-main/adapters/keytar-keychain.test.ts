import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { describe, expect, onTestFinished, test } from 'vitest'
import { KeychainError, type Keychain } from '../host/ports.ts'
import type { HelperReply, HelperRequest } from './keychain-helper.ts'
import type { HelperProcess } from './keychain-process.ts'
import { openKeytarKeychain, type KeytarOptions } from './keytar-keychain.ts'
import { startKeyring, type TestKeyring } from './test-keyring.ts'

const helperPath = path.join(import.meta.dirname, 'keychain-helper.ts')
const locked = new KeychainError('locked', 'the keychain is locked')
const unavailable = (message: string) => new KeychainError('unavailable', message)

async function keychain(options: Partial<KeytarOptions> = {}, known = false): Promise<Keychain> {
  const opened = await openKeytarKeychain({ service: `Countersign:test-${randomUUID()}`, helperPath, ...options }, { known })
  onTestFinished(() => opened.close())
  return opened
}

async function keyring(): Promise<TestKeyring> {
  const started = await startKeyring()
  onTestFinished(() => started.stop())
  return started
}

/** The helpers we are the parent of, from the kernel's own list. */
function helperPids(): number[] {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  return children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('keychain-helper'))
}

describe('readers of one item', () => {
  test('who come while it waits for its turn share one reading, and whoever comes later sees what was written since', async () => {
    const asked: string[] = []
    const watched = ({ op, account }: HelperRequest) => {
      asked.push(`${op} ${account}`)
      return null
    }
    const chain = await keychain({ fork: () => fakeHelper(new Map([['a', 'old']]), { fails: watched }) })
    asked.length = 0
    const [, ...values] = await Promise.all([chain.set('b', 'x'), ...Array.from({ length: 100 }, () => chain.get('a'))])
    expect(values).toEqual(Array.from({ length: 100 }, () => 'old'))
    expect(asked).toEqual(['set b', 'get b', 'get a'])
    await chain.set('a', 'new')
    expect(await Promise.all([chain.get('a'), chain.get('a')])).toEqual(['new', 'new'])
  })

  test('share its failure too, and the next one tries again', async () => {
    let broken = true
    const fails = ({ account }: HelperRequest) => (broken && account === 'a' ? 'it is out of order' : null)
    const chain = await keychain({ fork: () => fakeHelper(new Map([['a', 'value']]), { fails }) })
    const both = await Promise.allSettled([chain.get('a'), chain.get('a')])
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    broken = false
    expect(await chain.get('a')).toBe('value')
  })
})

describe('the OS keychain', () => {
  test('keeps values exactly, and tells an item that is missing from one that is there', async () => {
    const chain = await keychain()
    const values = ['x', 'line\r\nline\n', `"quotes" 'and' \`ticks\` \\`, '🔑 ключ 鍵', '{"json":true}', 'a'.repeat(2048), '🔑'.repeat(512)]
    for (const [at, value] of values.entries()) {
      await chain.set(`prod/db@eu.name-${at}#0123abcd`, value)
      expect(await chain.get(`prod/db@eu.name-${at}#0123abcd`)).toBe(value)
    }
    expect(await chain.get('nothing')).toBeNull()
    expect(await chain.delete('prod/db@eu.name-0#0123abcd')).toBe(true)
    expect(await chain.delete('prod/db@eu.name-0#0123abcd')).toBe(false)
    expect(await chain.get('prod/db@eu.name-0#0123abcd')).toBeNull()
  })

  test('serves 64 callers at once, each with its own answer', async () => {
    const chain = await keychain()
    const callers = Array.from({ length: 64 }, async (_, at) => {
      await chain.set(`item#${at}`, `value ${at}`)
      return chain.get(`item#${at}`)
    })
    expect(await Promise.all(callers)).toEqual(Array.from({ length: 64 }, (_, at) => `value ${at}`))
  })

  test('an item deleted by another program is missing, not locked', async () => {
    const service = `Countersign:test-${randomUUID()}`
    const ours = await keychain({ service })
    const others = await keychain({ service }, true)
    await ours.set('a#1', 'value')
    expect(await others.delete('a#1')).toBe(true)
    expect(await ours.get('a#1')).toBeNull()
    expect(await ours.delete('a#1')).toBe(false)
  })

  test('refuses what it could not give back: nothing, a NUL, or more than an item holds', async () => {
    const chain = await keychain()
    for (const value of ['', 'cut\0here', 'a'.repeat(2561)]) await expect(chain.set('a', value)).rejects.toThrow(/1 to 2560 bytes/)
    expect(await chain.get('a')).toBeNull()
  })

  test('a service we know without its sentinel counts as locked, and nothing is written to it', async () => {
    const service = `Countersign:test-${randomUUID()}`
    await expect(keychain({ service }, true)).rejects.toThrow(locked)
    await expect(keychain({ service }, true)).rejects.toThrow(locked)
  })

  test('a closed keychain answers nobody, and leaves no helper behind', async () => {
    const chain = await keychain()
    const pending = chain.set('a', 'value')
    await chain.close()
    await expect(pending).resolves.toBeUndefined()
    await expect(chain.get('a')).rejects.toThrow(unavailable('it has been closed'))
    await expect.poll(helperPids).toEqual([])
  })
})

describe('a keychain in trouble', () => {
  test('locked: every call says so, and works again once it is unlocked', async () => {
    const ring = await keyring()
    const service = 'Countersign'
    const chain = await keychain({ service, env: ring.env })
    await chain.set('a', 'value')
    await ring.lock()
    await expect(chain.get('a')).rejects.toThrow(locked)
    await expect(chain.get('nothing')).rejects.toThrow(locked)
    await expect(chain.set('b', 'value')).rejects.toThrow(locked)
    await expect(chain.delete('a')).rejects.toThrow(locked)
    await expect(keychain({ service, env: ring.env }, true)).rejects.toThrow(locked)
    await expect(keychain({ service: 'never seen', env: ring.env })).rejects.toThrow(locked)
    await ring.unlock()
    expect(await chain.get('a')).toBe('value')
    expect(await chain.get('b')).toBeNull()
  })

  test('daemon dead: said at once; daemon restarted: the next call works', async () => {
    const ring = await keyring()
    const chain = await keychain({ env: ring.env })
    await chain.set('a', 'value')
    await ring.kill()
    const dead = unavailable('no keyring service is running')
    await expect(chain.get('a')).rejects.toThrow(dead)
    await expect(chain.set('a', 'other')).rejects.toThrow(dead)
    await expect(chain.delete('a')).rejects.toThrow(dead)
    await ring.restart()
    expect(await chain.get('a')).toBe('value')
    // A helper that has outlived its daemon is not noticed by anybody.
    await ring.kill()
    await ring.restart()
    await chain.set('a', 'other')
    expect(await chain.get('a')).toBe('other')
  })

  test('no secret service, no bus, no address: refused with the reason, and no file appears', async () => {
    const home = mkdtempSync(path.join(tmpdir(), 'no-keyring-'))
    onTestFinished(() => rmSync(home, { recursive: true }))
    const ring = await keyring()
    await ring.kill()
    const bare = { PATH: process.env['PATH'], HOME: home }
    await expect(keychain({ env: { ...ring.env, HOME: home } })).rejects.toThrow(unavailable('no keyring service is running'))
    const noBus = unavailable('there is no D-Bus session bus')
    await expect(keychain({ env: { ...bare, DBUS_SESSION_BUS_ADDRESS: `unix:path=${home}/bus` } })).rejects.toThrow(noBus)
    await expect(keychain({ env: { ...bare, XDG_RUNTIME_DIR: home } })).rejects.toThrow(noBus)
    // With a display, libsecret would start a bus by itself.
    await expect(keychain({ env: { ...bare, DISPLAY: ':7' } })).rejects.toThrow(noBus)
    expect(readdirSync(home)).toEqual([])
  })

  test('hung: each caller is cut off by a limit of their own, nothing else stalls, and it works again afterwards', async () => {
    const ring = await keyring()
    const timeoutMs = 4000
    const chain = await keychain({ env: ring.env, timeoutMs })
    await chain.set('a', 'value')
    const lag = monitorEventLoopDelay({ resolution: 10 })
    process.kill(ring.pid(), 'SIGSTOP')
    lag.enable()
    const timed = async (call: Promise<unknown>) => {
      const from = performance.now()
      await expect(call).rejects.toThrow(unavailable('no answer within 4 s; it may be waiting to be unlocked'))
      return performance.now() - from
    }
    const together = await Promise.all([timed(chain.get('a')), timed(chain.set('a', 'never')), timed(chain.delete('b'))])
    const took = [...together, await timed(chain.get('a'))]
    lag.disable()
    for (const ms of took) {
      expect(ms).toBeGreaterThan(timeoutMs - 100)
      // Whoever waited for somebody else's limit first would take twice as long.
      expect(ms).toBeLessThan(2 * timeoutMs)
    }
    expect(lag.percentile(50) / 1e6).toBeLessThan(100)
    process.kill(ring.pid(), 'SIGCONT')
    expect(await chain.get('a')).toBe('value')
  })

  test('helper killed in the middle of a call: the call is made by another one', async () => {
    const ring = await keyring()
    const chain = await keychain({ env: ring.env })
    await chain.set('a', 'value')
    process.kill(ring.pid(), 'SIGSTOP')
    const pending = chain.get('a')
    const [helper] = helperPids()
    process.kill(helper ?? 0, 'SIGKILL')
    await expect.poll(() => helperPids().filter((pid) => pid !== helper)).toHaveLength(1)
    process.kill(ring.pid(), 'SIGCONT')
    expect(await pending).toBe('value')
  })
})

/** One byte, which the kernel takes for a no; or none, where nobody may set another limit. */
const NO_CORE_FILES = /Max core file size +([01]) +\1 /

describe('the helper', () => {
  test('writes no core file, has no value in its arguments or environment, and leaves when its parent dies', async () => {
    const ring = await keyring()
    const value = `sentinel-${randomUUID()}`
    const program = `
      import { openKeytarKeychain } from ${JSON.stringify(path.join(import.meta.dirname, 'keytar-keychain.ts'))}
      const chain = await openKeytarKeychain({ service: 'Countersign', helperPath: ${JSON.stringify(helperPath)} }, { known: false })
      await chain.set('a', ${JSON.stringify(value)})
      const { readFileSync } = await import('node:fs')
      const [helper] = readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').split(' ')
      const about = (file) => readFileSync('/proc/' + helper + '/' + file, 'utf8')
      process.stdout.write(JSON.stringify({ helper, files: ['limits', 'coredump_filter', 'cmdline', 'environ'].map(about) }))
      process.kill(Number(process.env.KEYRING_PID), 'SIGSTOP')
      void chain.get('a')
      setImmediate(() => process.kill(process.pid, 'SIGKILL'))`
    const output = runUntilKilled(program, ring.env)
    const { helper, files } = JSON.parse(output) as { helper: string; files: [string, string, string, string] }
    const [limits, filter, cmdline, environ] = files
    expect(limits).toMatch(NO_CORE_FILES)
    expect(Number.parseInt(filter, 16)).toBe(0)
    expect(cmdline + environ).not.toContain(value)
    await expect.poll(() => alive(helper)).toBe(false)
  })

  test('that is missing, or finds no keytar, makes the keychain unavailable', async () => {
    const elsewhere = mkdtempSync(path.join(tmpdir(), 'no-keytar-'))
    onTestFinished(() => rmSync(elsewhere, { recursive: true }))
    const ended = unavailable('its helper process ended unexpectedly')
    await expect(keychain({ helperPath: path.join(elsewhere, 'helper.js') })).rejects.toThrow(ended)
    copyFileSync(helperPath, path.join(elsewhere, 'helper.mts'))
    for (const part of ['core-dumps.ts', 'inspector.ts', 'no-inspector.ts']) {
      copyFileSync(path.join(path.dirname(helperPath), part), path.join(elsewhere, part))
    }
    await expect(keychain({ helperPath: path.join(elsewhere, 'helper.mts') })).rejects.toThrow(unavailable('keytar is not installed'))
  })

  test('that reports a success which cannot be read back is not believed', async () => {
    const items = new Map([['a', 'old']])
    const liar = await keychain({ fork: () => fakeHelper(items, { keeps: (account) => account === 'sentinel' }) })
    await expect(liar.set('a', 'new')).rejects.toThrow(unavailable('it did not keep what was written'))
    expect(await liar.get('a')).toBe('old')
  })

  test('that fails with words of its own does not get to quote the value', async () => {
    const items = new Map([['sentinel', 'here']])
    const fails = ({ op }: HelperRequest) => (op === 'set' ? 'cannot store "hunter2"' : null)
    const chain = await keychain({ fork: () => fakeHelper(items, { fails }) }, true)
    await expect(chain.set('a', 'hunter2')).rejects.toThrow(unavailable('it refused to store the item'))
  })
})

interface Behaviour {
  keeps?: (account: string) => boolean
  fails?: (request: HelperRequest) => string | null
}

/** A keychain that misbehaves on purpose, at the port of the process. */
function fakeHelper(items: Map<string, string>, { keeps = () => true, fails = () => null }: Behaviour): HelperProcess {
  let tell: (reply: HelperReply) => void = () => {}
  const answer = (request: HelperRequest): HelperReply => {
    const { id, op, account } = request
    const reason = fails(request)
    if (reason !== null) return { id, op: 'fault', reason }
    switch (op) {
      case 'get':
        return { id, op, value: items.get(account) ?? null }
      case 'set':
        if (keeps(account)) items.set(account, request.value)
        return { id, op }
      case 'delete':
        return { id, op, deleted: items.delete(account) }
    }
  }
  return {
    send: (request) => queueMicrotask(() => tell(answer(request))),
    onReply: (listener) => {
      tell = listener
    },
    onExit: () => {},
    kill: () => {},
  }
}

function runUntilKilled(program: string, env: NodeJS.ProcessEnv): string {
  try {
    execFileSync(process.execPath, ['--input-type=module', '-e', program], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  } catch (error) {
    const { signal, stdout } = error as { signal: string; stdout: string }
    if (signal === 'SIGKILL') return stdout
    throw error
  }
  throw new Error('The program was expected to be killed.')
}

/** A zombie that nobody has collected yet is not alive. */
function alive(pid: string): boolean {
  const file = `/proc/${pid}/stat`
  return existsSync(file) && !/\) Z /.test(readFileSync(file, 'utf8'))
}
