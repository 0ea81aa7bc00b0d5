import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { acquireLock } from './lock.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'lock-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const STARTER = `
  const { acquireLock } = await import(${JSON.stringify(path.join(import.meta.dirname, 'lock.ts'))})
  process.stdin.on('data', async (folder) => {
    const lock = await acquireLock(folder.toString().trim())
    process.stdout.write(lock ? 'owner\\n' : 'second\\n')
  })
`

/** A process that tries to own each folder it is told, and holds what it got for as long as it lives. */
function starter(): ChildProcess {
  return spawn(process.execPath, ['--input-type=module', '-e', STARTER], { stdio: ['pipe', 'pipe', 'inherit'] })
}

async function answer(child: ChildProcess): Promise<string> {
  const [text] = (await once(child.stdout!, 'data')) as [Buffer]
  return text.toString().trim()
}

async function ask(child: ChildProcess, where: string): Promise<string> {
  const answered = answer(child)
  child.stdin!.write(`${where}\n`)
  return answered
}

/** Whoever comes second waits a moment for the first to leave, so several pairs race side by side: 40 races, or 200 among the long tests. */
const ROUNDS = process.env['COUNTERSIGN_LONG_TESTS'] === undefined ? 5 : 25

test('of two that start at once exactly one owns the folder, every time', async () => {
  const pairs = Array.from({ length: 8 }, () => [starter(), starter()] as const)
  try {
    await Promise.all(
      pairs.map(async (pair) => {
        for (let round = 0; round < ROUNDS; round++) {
          const fresh = mkdtempSync(path.join(folder, 'r-'))
          const answers = await Promise.all(pair.map((child) => ask(child, fresh)))
          expect(answers.toSorted(), `round ${round}`).toEqual(['owner', 'second'])
        }
      }),
    )
  } finally {
    for (const child of pairs.flat()) child.kill('SIGKILL')
  }
}, 120_000)

test('the lock dies with its process', async () => {
  const first = starter()
  expect(await ask(first, folder)).toBe('owner')
  expect(await acquireLock(folder)).toBeNull()
  first.kill('SIGKILL')
  await once(first, 'exit')
  const lock = await acquireLock(folder)
  expect(lock).not.toBeNull()
  lock?.release()
})

test('the lock stays though nobody keeps what it gave', async () => {
  const forgetful = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', `${STARTER}; setInterval(gc, 5)`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  try {
    expect(await ask(forgetful, folder)).toBe('owner')
    for (let i = 0; i < 3; i++) expect(await acquireLock(folder)).toBeNull()
  } finally {
    forgetful.kill('SIGKILL')
  }
})

test('a lock that was released is free', async () => {
  const lock = await acquireLock(folder)
  expect(await acquireLock(folder)).toBeNull()
  lock?.release()
  const again = await acquireLock(folder)
  expect(again).not.toBeNull()
  again?.release()
})

test('the file is ours alone, and rubbish in it does not keep us out', async () => {
  const file = path.join(folder, 'lock.db')
  writeFileSync(file, 'not a database '.repeat(100), { mode: 0o666 })
  const lock = await acquireLock(folder)
  expect(lock).not.toBeNull()
  expect(statSync(file).mode & 0o777).toBe(0o600)
  lock?.release()
})

test('a link in its place is not followed', async () => {
  const target = path.join(folder, 'target')
  writeFileSync(target, 'precious')
  symlinkSync(target, path.join(folder, 'lock.db'))
  await expect(acquireLock(folder)).rejects.toThrow()
  expect(statSync(target).size).toBe(8)
})

test('a folder in its place is told in a sentence that says what to do', async () => {
  const file = path.join(folder, 'lock.db')
  mkdirSync(file)
  await expect(acquireLock(folder)).rejects.toThrow(
    `There is a folder at '${file}', where Countersign needs a file. Move it away, then start Countersign again.`,
  )
})
