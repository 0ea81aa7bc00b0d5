// A host that may open 64 files at once, and a crowd at its door.

import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startBridge } from '../support/bridge.ts'
import { openDesk } from '../support/desk.ts'
import { freshHome } from '../support/host.ts'
import { observed, timed } from './observed.ts'

test('with 64 files to open, a crowd keeps nobody out for good, and whoever is there is served', async () => {
  const node = path.join(freshHome(), 'node')
  writeFileSync(node, `#!/bin/sh\nexec prlimit --nofile=64:64 "${process.execPath}" "$@"\n`, { mode: 0o755 })
  const { client, someone, put, ready, home, process: host } = await openDesk({ node })
  await put({ token: 'the value' })
  const bridge = await client('cursor', { reads: 'always' })
  expect(await bridge.call('get_secret', { name: 'token' })).toBe('the value')

  const crowd = Array.from({ length: 150 }, () => {
    const socket = connect(ready.socket)
    socket.on('error', () => {}) // Turned away; others of the crowd stay.
    onTestFinished(() => void socket.destroy())
    return socket
  })
  await Promise.all(crowd.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])))
  const heard: string[] = []
  const { ms } = await timed(async () => {
    for (let n = 0; n < 20; n++) heard.push(await bridge.call('get_secret', { name: 'token' }))
  })
  for (const text of heard) expect(text === 'the value' || text.startsWith('Error: '), text).toBe(true)
  expect(heard.at(-1)).toBe('the value')
  expect(host.exitCode).toBeNull()

  for (const socket of crowd) socket.destroy()
  const late = startBridge({ home, client: 'cursor' })
  await late.initialize()
  await expect.poll(() => late.call('get_secret', { name: 'token' }), { timeout: 20_000 }).toBe('the value')
  const store = late.call('store_secret', { name: 'new', value: 'x' })
  await someone.answerNext('allow')
  expect(await store).toBe("Stored secret 'new'")
  expect(await someone.ask('audit.verify')).toMatchObject({ state: 'ok', breaks: [] })
  observed({
    fault: '64 open files (ulimit -n 64), 150 connections',
    clientSaw: [...new Set(heard)],
    tookMs: ms / heard.length,
    kept: 'every call was answered; a client that came after the crowd was served; the log verifies',
  })
})
