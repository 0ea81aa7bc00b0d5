// A client that asks and does not listen: its own bridge stops reading, and nobody else notices.

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { openDesk } from '../support/desk.ts'
import { dist } from '../support/host.ts'
import { observed, timed } from './observed.ts'

const DUE = 10_000

const peak = (pid: number | undefined) => Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

test('a client that does not read costs neither memory nor others their time, and then gets every answer once', async () => {
  const { client, someone, home, ready } = await openDesk()
  const other = await client('other', { reads: 'always' })
  await someone.ask('clients.register', { id: 'slow', name: 'slow', policy: 'default' })
  const slow = spawn(process.execPath, [path.join(dist, 'bridge.js'), '--client', 'slow'], {
    env: { ...process.env, COUNTERSIGN_HOME: home, COUNTERSIGN_NO_START: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void slow.kill('SIGKILL'))
  const calls = async () => {
    const took: number[] = []
    for (let n = 0; n < 200; n++) took.push((await timed(() => other.call('list_secrets'))).ms)
    return took.toSorted((a, b) => a - b)[100] ?? 0
  }
  const usual = await calls()
  const before = { bridge: peak(slow.pid), host: peak(ready.pid) }
  const lines = Array.from({ length: DUE }, (_, id) =>
    JSON.stringify({ jsonrpc: '2.0', id, method: id % 2 === 0 ? 'tools/list' : 'tools/call', params: { name: 'list_secrets' } }),
  )
  slow.stdin.write(`${lines.join('\n')}\n`)
  const meanwhile = await calls()
  // A tenfold of the usual is what a busy machine does to anybody; a bridge that took everything would take hundreds of megabytes.
  expect(meanwhile).toBeLessThan(Math.max(50, usual * 10))
  const grown = { bridge: peak(slow.pid) - before.bridge, host: peak(ready.pid) - before.host }
  expect(grown.bridge).toBeLessThan(64)
  expect(grown.host).toBeLessThan(64)

  const answered = new Set<unknown>()
  let doubled = 0
  await new Promise<void>((resolve) => {
    createInterface({ input: slow.stdout }).on('line', (line) => {
      const { id } = JSON.parse(line) as { id?: number }
      if (id === undefined) return
      if (answered.has(id)) doubled++
      answered.add(id)
      if (answered.size === DUE) resolve()
    })
  })
  expect(doubled).toBe(0)
  expect(peak(slow.pid) - before.bridge).toBeLessThan(64)
  observed({
    fault: 'slow reader',
    clientSaw: [`${answered.size} answers, each once`],
    tookMs: meanwhile,
    kept: 'every answer came once when it read again',
    othersMedianMs: { usual, meanwhile },
    grownMiB: grown,
  })
})
