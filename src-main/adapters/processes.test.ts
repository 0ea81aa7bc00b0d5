import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { holdsOtherEnd, inspectPeer, parsePs, parseStat, peerEnd } from './processes.ts'

let folder: string
let server: net.Server
let file: string

beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'who '))
  file = path.join(folder, 'a socket')
  server = net.createServer().listen(file)
  await once(server, 'listening')
})
afterEach(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

const CALLER = "require('node:net').connect(process.argv[1]).on('error', () => process.exit()).on('close', () => process.exit())"

async function caller() {
  const accepted = once(server, 'connection') as Promise<[net.Socket]>
  const child = spawn(process.execPath, ['-e', CALLER, file], { stdio: 'ignore' })
  const [socket] = await accepted
  return { socket, pid: child.pid! }
}

describe('on Linux', () => {
  test('the process at the other end and what started it are proven, nearest first', async () => {
    const { socket, pid } = await caller()
    const peer = await inspectPeer(socket, { pid, ppid: process.pid })
    socket.destroy()
    expect(peer.proven).toBe(true)
    expect(peer.steps.slice(0, 2).map((step) => step.pid)).toEqual([pid, process.pid])
    expect(peer.steps[0]?.exe).toBe(realpathSync(process.execPath))
    expect(peer.steps[0]?.started).toBeGreaterThanOrEqual(peer.steps[1]!.started!)
    expect(peer.steps.length).toBeLessThanOrEqual(12)
  })

  test('a caller that declares the pid of another is found out', async () => {
    const { socket, pid } = await caller()
    const peer = await inspectPeer(socket, { pid: process.ppid, ppid: 1 })
    socket.destroy()
    expect(peer.proven).toBe(true)
    expect(peer.steps[0]?.pid).toBe(pid)
  })

  test('many that come at once are each told apart', async () => {
    const callers = await Promise.all(Array.from({ length: 8 }, async () => undefined)).then(async (slots) => {
      const made = []
      for (const _ of slots) made.push(await caller())
      return made
    })
    const peers = await Promise.all(callers.map(({ socket, pid }) => inspectPeer(socket, { pid, ppid: process.pid })))
    for (const { socket } of callers) socket.destroy()
    expect(peers.map((peer) => peer.steps[0]?.pid)).toEqual(callers.map(({ pid }) => pid))
    expect(peers.every((peer) => peer.proven)).toBe(true)
  })

  test('what is merely declared stays unproven', async () => {
    const [end] = [new net.Socket()]
    const peer = await inspectPeer(end, { pid: process.pid, ppid: process.ppid })
    expect(peer.proven).toBe(false)
    expect(peer.steps[0]?.pid).toBe(process.pid)
  })

  test('a pid that is nobody’s gives an empty chain', async () => {
    expect(await inspectPeer(new net.Socket(), { pid: 2 ** 22 + 1, ppid: 1 })).toEqual({ steps: [], proven: false })
  })
})

test('a process may call itself anything and still be read', () => {
  const own = parseStat(readFileSync('/proc/self/stat', 'utf8'))
  expect(own?.ppid).toBe(process.ppid)
  const rest = `S 7 ${Array.from({ length: 17 }, () => '0').join(' ')} 4711 0`
  expect(parseStat(`42 (a) b (c\n) ${rest}`)).toEqual({ name: 'a) b (c\n', ppid: 7, started: 4711 })
  expect(parseStat('')).toBeNull()
})

test('the other end is found in the table of sockets by ours, whatever paths and names stand around it', () => {
  const table = [
    'u_str ESTAB 0 0 /tmp/a b/host.sock 200 * 100 users:(("host",pid=9,fd=21))',
    'u_str ESTAB 0 0 * 100 * 200 users:(("x\\",pid=1,fd=2",pid=77,fd=18),("sh",pid=78,fd=3))',
    'u_str ESTAB 0 0 * 300 * 400',
  ].join('\n')
  expect(peerEnd(table, '200')).toEqual({
    inode: '100',
    holders: [
      { pid: 77, fd: 18 },
      { pid: 78, fd: 3 },
    ],
  })
  expect(peerEnd(table, '400')).toBeNull()
})

test('the table of ps is read with programs that have spaces in their paths', () => {
  const table = parsePs('    1     0 /sbin/launchd\n  501     1 /Applications/Some App.app/Contents/MacOS/Some App\n')
  expect(table.get(501)).toEqual({ ppid: 1, exe: '/Applications/Some App.app/Contents/MacOS/Some App' })
})

test('the table of lsof says who holds the other end of a connection, and only of that one', () => {
  const table = 'p501\nf21\nd0xaa\nn/a b/host.sock\nf22\nd0xbb\nn/a b/host.sock\np777\nf18\nd0xcc\nn->0xaa\n'
  expect(holdsOtherEnd(table, 777, 501, 21)).toBe(true)
  expect(holdsOtherEnd(table, 777, 501, 22)).toBe(false)
  expect(holdsOtherEnd(table, 778, 501, 21)).toBe(false)
  expect(holdsOtherEnd(table, 777, 501, null)).toBe(false)
  expect(holdsOtherEnd('', 777, 501, 21)).toBe(false)
})
