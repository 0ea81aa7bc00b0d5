// Other programs, other users and sudden deaths.

import { execFile, spawn } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import { editConfig } from './edit.ts'
import { factsOf, type ClientFacts } from './facts.ts'
import { Fault } from './formats/document.ts'
import { LAUNCH } from './testing/fixtures.ts'

const here = (file: string) => path.join(import.meta.dirname, 'testing', file)
const cursor = factsOf('cursor') as ClientFacts
const entry = cursor.entry(LAUNCH)
const ORIGINAL = `{\n  // mine\n  "mcpServers": {\n    "other": { "command": "npx" }\n  },\n  "padding": "${'x'.repeat(20_000)}"\n}\n`

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'countersign-edit-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

function run(script: string, args: string[], cwd?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [script, ...args], { cwd }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout.trim())
      else reject(new Error(`${error.message}\n${stderr}`))
    })
  })
}

const add = (file: string) => editConfig(file, cursor, { is: 'set', entry }, () => {})
const remove = (file: string) => editConfig(file, cursor, { is: 'remove', ownKeys: 0, ownFile: false }, () => {})

describe('two writers at once', () => {
  const seconds = process.env['COUNTERSIGN_LONG_TESTS'] === undefined ? 2 : 30

  test.each(['rename', 'in place'])(
    'never leave a file that does not parse, and never lose what the other wrote (%s)',
    async (how) => {
      const file = path.join(folder(), 'mcp.json')
      writeFileSync(file, '{\n  "mcpServers": {}\n}\n')
      let running = true
      const other = run(here('rewriter-process.ts'), [file, how, String(seconds)]).finally(() => {
        running = false
      })
      let edits = 0
      while (running) {
        for (const edit of [add, remove]) {
          await edit(file).then(
            () => edits++,
            // Half of a file that is written in place is seen as what it is, and left alone.
            (error: unknown) => expect(error).toBeInstanceOf(Fault),
          )
        }
      }
      const { count, lost } = JSON.parse(await other) as { count: number; lost: string[] }
      expect(lost).toEqual([])
      expect(count).toBeGreaterThan(5)
      expect(edits).toBeGreaterThan(5)
      const left = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
      for (let key = 1; key <= count; key++) expect(left[`theirs${key}`]).toBe(key)
    },
    seconds * 1000 + 30_000,
  )
})

describe('killed in the middle of an edit', () => {
  const times = process.env['COUNTERSIGN_LONG_TESTS'] === undefined ? 10 : 200

  /** Several files at a time: most of it is waiting for Node to start. */
  const LANES = 4

  /** How it ended, the last it said, and the file it left. */
  const kill = async (file: string): Promise<{ end: string; said: string | undefined; left: string }> => {
    const child = spawn(process.execPath, [here('editor-process.ts'), 'cursor', file, 'loop'], { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = new Promise<string>((resolve) => child.once('exit', (code, signal) => resolve(signal ?? `exit ${code}`)))
    const lines: string[] = []
    const output = createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
    await Promise.race([new Promise((resolve) => output.once('line', resolve)), ended])
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 120))
    child.kill('SIGKILL')
    return { end: await ended, said: lines.at(-1), left: readFileSync(file, 'utf8') }
  }

  test(
    `${times} times, the file is the old or the new one, whole`,
    async () => {
      const dir = folder()
      const lane = async (number: number): Promise<void> => {
        const file = path.join(dir, `mcp-${number}.json`)
        writeFileSync(file, ORIGINAL)
        await add(file)
        const added = readFileSync(file, 'utf8')
        await remove(file)
        const removed = readFileSync(file, 'utf8')
        for (let time = number; time < times; time += LANES) {
          const { left, ...how } = await kill(file)
          expect(how).toEqual({ end: 'SIGKILL', said: 'editing' })
          expect([added, removed]).toContain(left)
        }
      }
      await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)))
    },
    times * 10_000,
  )

  test('what a dead process left behind is cleared away, and what others left is not', async () => {
    const dir = folder()
    const file = path.join(dir, 'mcp.json')
    writeFileSync(file, '{}')
    const draft = path.join(dir, '.mcp.json.countersign-0123456789ab')
    writeFileSync(draft, 'half')
    const long = new Date(Date.now() - 60_000)
    const { utimesSync } = await import('node:fs')
    utimesSync(draft, long, long)
    writeFileSync(path.join(dir, '.mcp.json.swp'), 'theirs')
    await add(file)
    expect(readdirSync(dir).toSorted()).toEqual(['.mcp.json.swp', 'mcp.json'])
  })
})

// Root may write anything, so what others may not is tried as somebody who may not.
describe.runIf(process.getuid?.() === 0)('as an unprivileged user', () => {
  const NOBODY = 65_534

  /** The sources, where nobody may read them. */
  const readable = (): string => {
    const dir = folder()
    chmodSync(dir, 0o755)
    const root = path.join(import.meta.dirname, '..', '..')
    for (const part of [
      'src-main/clients',
      'src-main/host',
      'src-main/link',
      'src-shared',
      'package.json',
      'node_modules/smol-toml',
      'node_modules/yaml',
    ])
      cpSync(path.join(root, part), path.join(dir, part), { recursive: true, filter: (source) => !source.endsWith('.test.ts') })
    return dir
  }
  const attempt = (sources: string, file: string) =>
    run(path.join(sources, 'src-main/clients/testing/editor-process.ts'), ['cursor', file, 'once', String(NOBODY)], '/')

  test('a read-only file, a read-only folder and another user’s file are left alone', async () => {
    const sources = readable()
    const make = (name: string, owner: number, mode: number, folderMode: number): string => {
      const dir = path.join(sources, name)
      mkdirSync(dir)
      const file = path.join(dir, 'mcp.json')
      writeFileSync(file, '{}')
      chownSync(file, owner, owner)
      chmodSync(file, mode)
      chownSync(dir, NOBODY, NOBODY)
      chmodSync(dir, folderMode)
      return file
    }
    const cases = {
      'read-only': [make('a', NOBODY, 0o444, 0o755), 'refused: it is read-only'],
      'in a read-only folder': [make('b', NOBODY, 0o644, 0o555), 'refused: this account may not write it'],
      'of another user': [make('c', 0, 0o666, 0o777), 'refused: it belongs to another user'],
      unreadable: [make('d', 0, 0o600, 0o777), 'refused: this account may not write it'],
      'of one’s own': [make('e', NOBODY, 0o600, 0o700), 'done'],
    } as const
    for (const [name, [file, expected]] of Object.entries(cases)) {
      expect(await attempt(sources, file), name).toBe(expected)
      if (expected !== 'done') expect(readFileSync(file, 'utf8'), name).toBe('{}')
    }
    const own = statSync(path.join(sources, 'e', 'mcp.json'))
    expect([own.uid, own.mode & 0o777]).toEqual([NOBODY, 0o600])
  })
})
