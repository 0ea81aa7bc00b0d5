import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startKeyring } from './test-keyring.ts'

const withKeyring = path.resolve(import.meta.dirname, '../../scripts/with-keyring')

/** A zombie that nobody has collected yet is not alive. */
function alive(pid: unknown): boolean {
  const file = `/proc/${Number(pid)}/stat`
  return existsSync(file) && !/\) Z /.test(readFileSync(file, 'utf8'))
}

interface Parts {
  KEYRING_PID: string
  KEYRING_BUS_PID: string
  KEYRING_TMP: string
}

const nothingLeft = ({ KEYRING_PID, KEYRING_BUS_PID, KEYRING_TMP }: Parts) =>
  !alive(KEYRING_PID) && !alive(KEYRING_BUS_PID) && !existsSync(KEYRING_TMP)

// Little enough to arrive in one piece.
const SHOW =
  'const { KEYRING_PID, KEYRING_BUS_PID, KEYRING_TMP, HOME, OWN } = process.env;' +
  'process.stdout.write(JSON.stringify({ KEYRING_PID, KEYRING_BUS_PID, KEYRING_TMP, HOME, OWN }))'

describe('scripts/with-keyring', () => {
  test('passes stdin, arguments and the exit status through, and leaves nothing behind', () => {
    const run = spawnSync(
      withKeyring,
      [process.execPath, '-e', `${SHOW}; process.exitCode = require('fs').readFileSync(0).length`, 'a b'],
      {
        input: '1234567',
        encoding: 'utf8',
      },
    )
    expect(run.stderr).toBe('')
    expect(run.status).toBe(7)
    const env = JSON.parse(run.stdout) as Parts & { HOME: string }
    expect(env.HOME.startsWith(env.KEYRING_TMP)).toBe(true)
    expect(nothingLeft(env)).toBe(true)
  })

  test('leaves nothing behind when it is terminated, even with a stopped daemon', async () => {
    const program = `process.kill(Number(process.env.KEYRING_PID), 'SIGSTOP'); ${SHOW}; setInterval(() => {}, 1000)`
    const script = spawn(withKeyring, [process.execPath, '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [output] = (await once(script.stdout, 'data')) as [Buffer]
    script.kill('SIGTERM')
    const [status] = (await once(script, 'exit')) as [number]
    expect(status).toBe(143)
    expect(nothingLeft(JSON.parse(output.toString()) as Parts)).toBe(true)
  })

  test('leaves nothing behind when everything it started is terminated with it', async () => {
    // As Ctrl-C and timeout(1) do. Bash may lose track of its children in this very moment, so once proves little.
    for (let round = 0; round < 6; round++) {
      const script = spawn(withKeyring, [process.execPath, '-e', `${SHOW}; setInterval(() => {}, 1000)`], {
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      })
      const [output] = (await once(script.stdout, 'data')) as [Buffer]
      process.kill(-Number(script.pid), 'SIGTERM')
      expect(await once(script, 'exit')).toEqual([143, null])
      expect(nothingLeft(JSON.parse(output.toString()) as Parts)).toBe(true)
    }
  })

  test('leaves nothing behind when it is killed, not even its command', async () => {
    const program = `process.kill(Number(process.env.KEYRING_PID), 'SIGSTOP'); process.env.OWN = process.pid; ${SHOW}; setInterval(() => {}, 1000)`
    const script = spawn(withKeyring, [process.execPath, '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [output] = (await once(script.stdout, 'data')) as [Buffer]
    const env = JSON.parse(output.toString()) as Parts & { OWN: string }
    script.kill('SIGKILL')
    await expect.poll(() => nothingLeft(env) && !alive(env.OWN), { timeout: 10_000 }).toBe(true)
  })

  test('says exactly which Debian packages are missing', () => {
    const bin = mkdtempSync(path.join(tmpdir(), 'bin-'))
    onTestFinished(() => rmSync(bin, { recursive: true }))
    const run = () => spawnSync('/bin/bash', [withKeyring, 'true'], { env: { PATH: bin }, encoding: 'utf8' })
    const install = 'with-keyring: missing Debian packages; run: apt-get install -y --no-install-recommends'
    expect(run()).toMatchObject({ status: 69, stderr: `${install} dbus-daemon gnome-keyring libglib2.0-bin\n` })
    symlinkSync('/usr/bin/dbus-daemon', path.join(bin, 'dbus-daemon'))
    symlinkSync('/usr/bin/gdbus', path.join(bin, 'gdbus'))
    expect(run()).toMatchObject({ status: 69, stderr: `${install} gnome-keyring\n` })
  })
})

describe('a test keyring', () => {
  test('is gone when it was stopped, whatever was done to it', async () => {
    const keyring = await startKeyring()
    const first = keyring.pid()
    await keyring.lock()
    await keyring.unlock()
    await keyring.kill()
    await keyring.restart()
    expect(keyring.pid()).not.toBe(first)
    process.kill(keyring.pid(), 'SIGSTOP')
    await keyring.stop()
    expect(nothingLeft(keyring.env as unknown as Parts)).toBe(true)
    await expect.poll(() => alive(keyring.pid())).toBe(false)
    await keyring.stop()
  })

  test('is gone when the process that started it was killed', async () => {
    const program = `
      import { startKeyring } from ${JSON.stringify(path.join(import.meta.dirname, 'test-keyring.ts'))}
      const keyring = await startKeyring()
      await keyring.kill()
      await keyring.restart()
      const { KEYRING_PID, KEYRING_BUS_PID, KEYRING_TMP } = keyring.env
      process.stdout.write(JSON.stringify({ KEYRING_PID, KEYRING_BUS_PID, KEYRING_TMP, NEW: keyring.pid() }))
      setInterval(() => {}, 1000)`
    const owner = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [output] = (await once(owner.stdout, 'data')) as [Buffer]
    const env = JSON.parse(output.toString()) as Parts & { NEW: number }
    expect(alive(env.NEW)).toBe(true)
    owner.kill('SIGKILL')
    await expect.poll(() => nothingLeft(env) && !alive(env.NEW), { timeout: 10_000 }).toBe(true)
  })
})
