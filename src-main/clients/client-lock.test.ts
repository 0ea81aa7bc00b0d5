import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { withClientLock } from './client-lock.ts'
import { editConfig } from './edit.ts'
import { factsOf, type ClientFacts } from './facts.ts'
import { Fault } from './formats/document.ts'
import { LAUNCH } from './testing/fixtures.ts'

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'countersign-lock-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

/** Another program's view of the lock, by a tool that is not ours. */
const isFree = (lock: string): boolean => spawnSync('flock', ['--nonblock', lock, 'true']).status === 0

async function holdElsewhere(lock: string): Promise<() => void> {
  const holder = spawn('flock', [lock, 'sh', '-c', 'echo held; read x'], { stdio: ['pipe', 'pipe', 'ignore'] })
  onTestFinished(() => void holder.kill())
  await new Promise((resolve) => holder.stdout.once('data', resolve))
  return () => holder.stdin.end('\n')
}

describe.runIf(process.platform === 'linux')('a lock that the kernel keeps', () => {
  const make = () => {
    const dir = folder()
    const lock = path.join(dir, '.writer.lock')
    writeFileSync(lock, '')
    return { file: path.join(dir, 'config.json'), lock }
  }

  test('is held while we write, and free afterwards', async () => {
    const { file, lock } = make()
    expect(await withClientLock({ flock: '.writer.lock' }, { file, real: file }, () => isFree(lock))).toBe(false)
    await expect.poll(() => isFree(lock)).toBe(true)
  })

  test('is looked for beside the file, not where a link leads from there', async () => {
    const { file, lock } = make()
    const real = path.join(folder(), 'dotfile.json')
    writeFileSync(real, '{}')
    symlinkSync(real, file)
    expect(await withClientLock({ flock: '.writer.lock' }, { file, real }, () => isFree(lock))).toBe(false)
  })

  test('is waited for while the client holds it', async () => {
    const { file, lock } = make()
    const letGo = await holdElsewhere(lock)
    let released = false
    const working = withClientLock({ flock: '.writer.lock' }, { file, real: file }, () => released)
    released = true
    letGo()
    expect(await working).toBe(true)
  })

  test('ends our patience when the client never lets go', async () => {
    const { file, lock } = make()
    await holdElsewhere(lock)
    const work = () => {
      throw new Error('it was locked')
    }
    await expect(withClientLock({ flock: '.writer.lock' }, { file, real: file }, work, 1000)).rejects.toThrow(
      new Fault('the client itself has it locked'),
    )
  })

  test('is not made where there is none', async () => {
    const file = path.join(folder(), 'config.json')
    expect(await withClientLock({ flock: '.writer.lock' }, { file, real: file }, () => 'written')).toBe('written')
    expect(existsSync(path.join(path.dirname(file), '.writer.lock'))).toBe(false)
  })

  test('of Copilot CLI is taken for our edit', async () => {
    const copilot = factsOf('copilot-cli') as ClientFacts
    const dir = path.join(folder(), '.copilot')
    mkdirSync(dir)
    const file = path.join(dir, 'mcp-config.json')
    const lock = path.join(dir, '.mcp-writer.lock')
    writeFileSync(file, '{}')
    writeFileSync(lock, '')
    let wasFree: boolean | null = null
    await editConfig(
      file,
      copilot,
      { is: 'set', entry: copilot.entry(LAUNCH) },
      () => {},
      () => (wasFree ??= isFree(lock)),
    )
    expect(wasFree).toBe(false)
  })
})

describe('a lock that is a folder', () => {
  test('is held while we write, and gone afterwards', async () => {
    const file = path.join(folder(), 'config.json')
    expect(await withClientLock('proper-lockfile', { file, real: file }, () => existsSync(`${file}.lock`))).toBe(true)
    expect(existsSync(`${file}.lock`)).toBe(false)
  })

  test('ends our patience when the client never lets go', async () => {
    const file = path.join(folder(), 'config.json')
    mkdirSync(`${file}.lock`)
    await expect(withClientLock('proper-lockfile', { file, real: file }, () => {}, 200)).rejects.toThrow(Fault)
    expect(existsSync(`${file}.lock`)).toBe(true)
  })
})
