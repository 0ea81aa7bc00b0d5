import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { sentinel, sentinelFinder } from '../support/sentinel.ts'
import { belongs } from './belongs.ts'
import { plainOf, witnessOf } from './witnesses.ts'

const value = sentinel('seen')

function folderOf(files: Record<string, string | Buffer>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-witness-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder, name), content)
  return folder
}

it('a value in a file is found, also one that is written later', () => {
  const folder = folderOf({ 'a.db-wal': Buffer.concat([Buffer.alloc(4096), Buffer.from(value)]), clean: 'nothing' })
  const witness = witnessOf([folder], 'SWEEP=none')
  witness.look()
  expect([...witness.found.keys()]).toEqual([path.join(folder, 'a.db-wal')])
  expect(witness.seen.logs.size).toBe(1)
  writeFileSync(path.join(folder, 'clean'), JSON.stringify({ late: value }))
  witness.look()
  expect(witness.found.size).toBe(2)
})

it('a value in the command line or environment of a process is found, and only of one that is ours', async () => {
  const mark = `SWEEP=test-${process.pid}`
  const start = async (env: NodeJS.ProcessEnv, argument: string): Promise<void> => {
    const child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1000)', argument], {
      env: { ...process.env, ...env },
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await new Promise((resolve) => child.stdout.once('data', resolve))
  }
  await start({ SWEEP: `test-${process.pid}`, KEY: value }, 'harmless')
  await start({ SWEEP: `test-${process.pid}` }, Buffer.from(value).toString('base64'))
  await start({ SWEEP: 'another' }, value)
  const witness = witnessOf([], mark)
  witness.look()
  const found = Array.from(witness.found.keys(), (where) => where.split(' of ')[0] ?? '')
  expect(found.toSorted()).toEqual(['command line', 'environment'])
  expect(witness.seen.processes.size).toBe(2)
})

it('a value is found in what strace wrote of a program’s start', () => {
  const escaped = Array.from(Buffer.from(value), (byte) =>
    byte < 0x20 || byte > 0x7e ? `\\${byte.toString(8)}` : String.fromCharCode(byte),
  )
    .join('')
    .replaceAll(/["\\](?![0-7])/g, '\\$&')
  const log = `12 execve("/bin/x", ["x", "${escaped}"], ["A=b"]) = 0\n`
  expect(sentinelFinder().hits(plainOf(Buffer.from(log)))).toContainEqual(expect.objectContaining({ needle: expect.stringContaining('é') }))
  expect(plainOf(Buffer.from(String.raw`\303\251 \x41 \"q\" \\n`)).toString()).toBe('é A "q" \\n')
})

it('only the answer that was asked for may hold a value', () => {
  expect(belongs('/x/taps/bridge-get_secret')).toBeDefined()
  expect(belongs('/x/taps/page-secrets.reveal')).toBeDefined()
  for (const other of ['/x/taps/bridge-store_secret', '/x/taps/page-secrets.list', '/x/taps/page-approvals', '/x/kept/bridge-get_secret']) {
    expect(belongs(other)).toBeUndefined()
  }
})
