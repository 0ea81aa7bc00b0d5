// A sentinel is stored, read, denied, left unanswered, misplaced and made to fail; then every file, stream, command line and
// environment is searched for it, raw and in the usual disguises.

import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { startBridge, textOf } from './support/bridge.ts'
import { cli } from './support/cli.ts'
import { startHost } from './support/host.ts'
import { call, post } from './support/http.ts'
import { filesBelow, finderOf, sentinel, writesNoCore } from './support/sentinel.ts'

/** Command line and environment of a process and everything it started. */
function processTraces(pids: readonly number[]): [string, Buffer][] {
  return pids.flatMap((pid) =>
    ['cmdline', 'environ'].map((file): [string, Buffer] => [`${pid} ${file}`, readFileSync(`/proc/${pid}/${file}`)]),
  )
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  const children = text === '' ? [] : text.split(' ').map(Number)
  return [...children, ...children.flatMap(childrenOf)]
}

it('a value appears in no file, stream, command line, environment or audit row', { timeout: 120_000 }, async () => {
  const host = await startHost({ args: ['--http', '0'] })
  const person = await host.person()
  await person.ask('settings.set', { waitSeconds: 5 })
  await person.ask('clients.register', { id: 'cursor', name: 'Cursor', policy: 'default' })
  const bridge = startBridge({ home: host.home, client: 'cursor' })
  await bridge.initialize()
  const values = Array.from({ length: 9 }, (_, n) => sentinel(n))
  const finder = finderOf(values)
  const hits = (name: string, content: Buffer) => finder.hits(content).map(({ needle, form }) => `${name}: ${needle} (${form})`)
  const [stored, denied, unanswered, replaced, typed, long, misplaced, backedUp, revealed] = values as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ]

  const allowed = async (work: Promise<string>) => {
    for (const approval of await person.waiting()) await person.answer(approval, 'allow')
    return work
  }
  expect(await allowed(bridge.call('store_secret', { name: 'a', value: stored }))).toBe("Stored secret 'a'")
  expect(await allowed(bridge.call('get_secret', { name: 'a' }))).toBe(stored)
  const refused = bridge.call('store_secret', { name: 'b', value: denied })
  await person.answerNext('deny')
  expect(await refused).toBe('Error: Denied by the person')
  expect(await allowed(bridge.call('store_secret', { name: 'a', value: replaced, force: true }))).toBe("Stored secret 'a'")
  expect(await bridge.call('store_secret', { name: 'c', value: unanswered })).toContain('Waiting for approval')
  const piped = cli(host.home, ['store', 'typed'], { stdin: typed })
  for (const approval of await person.waiting(2)) await person.answer(approval, approval.secret === 'typed' ? 'allow' : 'deny')
  expect((await piped).code).toBe(0)
  await person.ask('secrets.store', { name: 'long', value: long.repeat(200) })
  // Over HTTP, and on a terminal.
  const { http } = host.ready
  if (http === null || 'trouble' in http) throw new Error(`there is no /mcp: ${JSON.stringify(http)}`)
  await person.ask('policies.save', { name: 'open', description: '', allow: ['*'], deny: [], reads: 'always' })
  const { token } = await person.ask('tokens.add', { id: 'http', name: 'A program', policy: 'open' })
  const heard = await post(http.url, token, call('get_secret', { name: 'typed' }))
  expect(textOf(heard.messages[0] ?? { jsonrpc: '2.0' })).toBe(typed)
  const shown = cli(host.home, ['get', 'typed'])
  expect((await allowed(shown.then(({ stdout }) => stdout))).trimEnd()).toBe(typed)
  // In places where no value belongs.
  for (const args of [{ name: misplaced, value: 'x' }, { name: 'd', value: 'x', force: misplaced }, [misplaced], misplaced]) {
    await bridge.request('tools/call', { name: 'store_secret', arguments: args })
  }
  bridge.send({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'store_secret', arguments: { name: 'e', value: misplaced } } })
  bridge.write(`{"broken": "${misplaced}\n`)
  await bridge.request('ping')
  await person.ask('secrets.store', { name: 'shown', value: revealed })
  await person.ask('secrets.reveal', { name: 'shown', purpose: 'show' })
  await person.ask('secrets.store', { name: 'backed-up', value: backedUp })
  await person.ask('backup.export', { path: path.join(host.home, 'copy.countersign'), passphrase: 'a long enough passphrase' })
  await person.ask('audit.export', { format: 'jsonl', path: path.join(host.home, 'log.jsonl') })
  await person.ask('audit.export', { format: 'csv', path: path.join(host.home, 'log.csv') })

  const pids = [host.ready.pid, ...childrenOf(host.ready.pid), bridge.process.pid ?? 0]
  // A crash leaves nothing of them, and if somebody changed that, no memory would be in it.
  for (const pid of pids) expect(Number.parseInt(readFileSync(`/proc/${pid}/coredump_filter`, 'utf8'), 16)).toBe(0)
  for (const pid of pids) await expect.poll(() => writesNoCore(pid)).toBe(true)
  const traces = processTraces(pids)
  expect(traces.length).toBeGreaterThanOrEqual(6)
  const files = filesBelow(host.home)
  expect(files.filter((file) => statSync(file).size > 0).length).toBeGreaterThan(4)
  const everywhere: [string, Buffer][] = [
    ...traces,
    ...files.map((file): [string, Buffer] => [path.relative(host.home, file), readFileSync(file)]),
    ['host stderr', Buffer.from(host.stderr())],
    ['bridge stderr', Buffer.from(bridge.stderr())],
  ]
  expect(everywhere.flatMap(([name, content]) => hits(name, content))).toEqual([])
  await host.stop()
  const left = filesBelow(host.home).map((file): [string, Buffer] => [path.relative(host.home, file), readFileSync(file)])
  expect(left.flatMap(([name, content]) => hits(name, content))).toEqual([])
  // The search itself can find: the file below holds one of them in base64.
  expect(hits('control', Buffer.from(`xx${Buffer.from(`ab${stored}`).toString('base64')}`))).toHaveLength(1)
})
