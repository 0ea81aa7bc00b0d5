// Our programs, crashed in the middle of their work where core files are welcome: they leave none, or one without a value. The sweep looks
// into the folder they are started in.

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startCaller } from '../load/caller.ts'
import { enter, startHost } from '../support/host.ts'
import { sentinel, writesNoCore } from '../support/sentinel.ts'

const folder = process.env['CORES'] ?? mkdtempSync(path.join(tmpdir(), 'countersign-cores-'))
/** What is started next leaves its core file in a folder of its own: the next one would write over it. */
const into = (name: string): void => {
  mkdirSync(path.join(folder, name), { recursive: true })
  process.chdir(path.join(folder, name))
}
const closing: (() => Promise<void> | void)[] = []
const atEnd = (work: () => Promise<void> | void): void => void closing.unshift(work)

try {
  into('host')
  const host = await startHost({ atEnd })
  const person = await enter(host.ready.url)
  await person.ask('secrets.store', { name: 'dev/a', value: sentinel('in memory') })
  await person.ask('policies.save', { name: 'dev', description: '', allow: ['*'], deny: [], reads: 'always' })
  await person.ask('clients.register', { id: 'client', name: 'client', policy: 'dev' })
  await person.ask('secrets.reveal', { name: 'dev/a', purpose: 'show' })
  into('bridge')
  const caller = await startCaller(host.home, 'client', atEnd)
  const { text } = await caller.call('get_secret', { name: 'dev/a' })
  if (text !== sentinel('in memory')) throw new Error('the value did not come')
  const helpers = childrenOf(host.ready.pid).filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('keychain-helper'))
  if (helpers.length === 0) throw new Error('there is no keychain helper to crash')
  const ours = [...helpers, caller.process.pid, host.ready.pid].filter((pid) => pid !== undefined)
  // They see to it as soon as nobody waits for their start any more.
  for (const deadline = performance.now() + 10_000; !ours.every(writesNoCore) && performance.now() < deadline;) await wait(20)
  for (const pid of ours) process.kill(pid, 'SIGABRT')
  await new Promise((resolve) => host.process.once('exit', resolve))
  // A program that takes no care, to show that the search would find it.
  into('careless')
  const careless = spawn(process.execPath, ['-e', 'process.stdin.once("data", (value) => (globalThis.value = value, process.abort()))'])
  careless.stdin.end(sentinel('in a careless memory'))
  await new Promise((resolve) => careless.once('exit', resolve))
} finally {
  for (const close of closing) await close()
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => {
      try {
        const stat = readFileSync(`/proc/${child}/stat`, 'utf8')
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid
      } catch {
        return false // It has ended meanwhile.
      }
    })
}
