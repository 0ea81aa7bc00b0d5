import { once } from 'node:events'
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { checkCallers } from '../cli/doctor/computer.ts'
import { runningPrograms } from '../clients/running.ts'
import { inspectPeer } from './processes.ts'

const root = path.join(import.meta.dirname, '..')

/** Puts programs of these names first in PATH; each leaves a file behind when it is run. */
function foreignPrograms(...names: string[]): { ran: () => string[] } {
  const folder = mkdtempSync(path.join(tmpdir(), 'foreign-programs-'))
  const before = process.env['PATH']
  for (const name of names) {
    const file = path.join(folder, name)
    writeFileSync(file, `#!/bin/sh\n: > "${file}.ran"\n`)
    chmodSync(file, 0o755)
  }
  process.env['PATH'] = `${folder}:${before ?? ''}`
  onTestFinished(() => {
    process.env['PATH'] = before
    rmSync(folder, { recursive: true, force: true })
  })
  return { ran: () => globSync('*.ran', { cwd: folder }) }
}

describe.runIf(process.platform === 'linux')('a program that somebody put into PATH', () => {
  test('is not run in place of ps', async () => {
    const foreign = foreignPrograms('ps')
    expect(await runningPrograms()).toContain('ps')
    expect(foreign.ran()).toEqual([])
  })

  test('is not run in place of ss', async () => {
    const foreign = foreignPrograms('ss')
    const folder = mkdtempSync(path.join(tmpdir(), 'socket-'))
    const file = path.join(folder, 's')
    const server = net.createServer().listen(file)
    await once(server, 'listening')
    const client = net.connect(file)
    const [socket] = (await once(server, 'connection')) as [net.Socket]
    onTestFinished(() => {
      client.destroy()
      socket.destroy()
      server.close()
      rmSync(folder, { recursive: true, force: true })
    })
    expect((await inspectPeer(socket, { pid: process.pid, ppid: process.ppid })).proven).toBe(true)
    expect(foreign.ran()).toEqual([])
  })

  test('does not count as ss for the doctor, who looks where the host looks', () => {
    foreignPrograms('ss')
    expect(checkCallers('linux', () => null)).toMatchObject([{ level: 'note', next: 'On Debian and Ubuntu: sudo apt install iproute2' }])
    expect(checkCallers('linux')).toEqual([])
    expect(checkCallers('darwin', () => null)).toEqual([])
  })
})

test('no program of ours is started by its name alone', () => {
  const starts = /\b(?:spawn|spawnSync|execFile|execFileSync|fork|run)\(\s*'([^'/]+)'/g
  const files = globSync('**/*.ts', { cwd: root }).filter((file) => !/\.test\.ts$|testing/.test(file))
  expect(files.length).toBeGreaterThan(100)
  const byName = files.flatMap((file) =>
    [...readFileSync(path.join(root, file), 'utf8').matchAll(starts)].map(([, program]) => `${file}: ${program}`),
  )
  // `run` of processes.ts takes the name of a helper program, which has its fixed path in helper-programs.ts.
  expect(byName.filter((start) => !/^adapters\/(processes|tcp-peer)\.ts: (ss|ps|lsof)$/.test(start))).toEqual([])
})
