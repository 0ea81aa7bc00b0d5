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

const CALLER = `
const [file, uid] = process.argv.slice(1)
const end = require('node:net').connect(file, () => {
  if (uid !== undefined) process.setuid(Number(uid))
  end.write('here')
})
end.on('error', () => process.exit()).on('close', () => process.exit()).resume()`

/** With a `uid` it gives up its rights as soon as it is connected, so that the folder need not be open. */
async function caller(uid?: number, through: string[] = []) {
  const accepted = once(server, 'connection') as Promise<[net.Socket]>
  const [command = '', ...args] = [...through, process.execPath, '-e', CALLER, file, ...(uid === undefined ? [] : [String(uid)])]
  const child = spawn(command, args, { stdio: 'ignore' })
  const [socket] = await accepted
  await once(socket, 'data')
  return { socket, child, pid: child.pid! }
}

describe('on Linux', () => {
  test('the process at the other end and what started it are proven, nearest first', async () => {
    const { socket, pid } = await caller()
    const peer = await inspectPeer(socket, { pid, ppid: process.pid })
    socket.destroy()
    expect(peer).toMatchObject({ proven: true, user: 'own' })
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

  test('a peer that has gone already is nobody any more', async () => {
    const { socket, child, pid } = await caller()
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await inspectPeer(socket, { pid, ppid: process.pid })).toEqual({ steps: [], proven: false, user: 'gone' })
    socket.destroy()
  })

  test.runIf(process.getuid?.() === 0)('a process of another user is told by its uid, whatever it declares', async () => {
    const { socket } = await caller(65_534)
    const peer = await inspectPeer(socket, { pid: process.pid, ppid: process.ppid })
    socket.destroy()
    expect(peer).toEqual({ steps: [], proven: false, user: { uid: 65_534 } })
  })

  test.runIf(process.getuid?.() === 0)('a network of its own hides no other user, and makes no stranger of our own program', async () => {
    const apart = ['unshare', '--net', '--']
    const own = await caller(undefined, apart)
    expect(await inspectPeer(own.socket, { pid: own.pid, ppid: process.pid })).toMatchObject({ proven: false, user: 'own' })
    const other = await caller(65_534, apart)
    for (const pid of [other.pid, process.pid, own.pid])
      expect(await inspectPeer(other.socket, { pid, ppid: process.pid })).toEqual({ steps: [], proven: false, user: { uid: null } })
    for (const { socket } of [own, other]) socket.destroy()
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
    expect(await inspectPeer(new net.Socket(), { pid: 2 ** 22 + 1, ppid: 1 })).toEqual({ steps: [], proven: false, user: 'unknown' })
  })
})

test('a process may call itself anything and still be read', () => {
  const own = parseStat(readFileSync('/proc/self/stat', 'utf8'))
  expect(own?.ppid).toBe(process.ppid)
  const rest = `S 7 ${Array.from({ length: 17 }, () => '0').join(' ')} 4711 0`
  expect(parseStat(`42 (a) b (c\n) ${rest}`)).toEqual({ name: 'a) b (c\n', ppid: 7, started: 4711 })
  expect(parseStat('')).toBeNull()
})

const TABLE = [
  'u_str ESTAB 0 0 /tmp/a b/host.sock 200 * 100 users:(("host",pid=9,fd=21))',
  'u_str ESTAB 0 0 * 100 * 200 users:(("x\\",pid=1,fd=2",pid=77,fd=18),("sh",pid=78,fd=3))',
  'u_str ESTAB 0 0 /tmp/a b/host.sock 400 * 300 users:(("host",pid=9,fd=22))',
  'u_str ESTAB 0 0 * 300 * 400',
  'u_str ESTAB 0 0 /tmp/a b/host.sock 600 * 500 users:(("host",pid=9,fd=23))',
  'u_str ESTAB 0 0 /tmp/a b/host.sock 700 * 0 users:(("host",pid=9,fd=24))',
].join('\n')

test('the other end is found in the table of sockets by ours, whatever paths and names stand around it', () => {
  expect(peerEnd(TABLE, '200', 9)).toEqual({
    inode: '100',
    holders: [
      { pid: 77, fd: 18 },
      { pid: 78, fd: 3 },
    ],
  })
})

test('an end whose processes are hidden, one outside the table and one that is gone are told apart', () => {
  expect(peerEnd(TABLE, '400', 9)).toEqual({ inode: '300', holders: [] })
  expect(peerEnd(TABLE, '600', 9)).toEqual({ inode: '500', holders: null })
  expect(peerEnd(TABLE, '700', 9)).toBe('gone')
  expect(peerEnd(TABLE, '800', 9)).toBe('elsewhere')
})

test('a table in which not even our own process is seen tells nothing', () => {
  expect(peerEnd(TABLE, '200', 10)).toBeNull()
  expect(peerEnd('', '200', 9)).toBeNull()
})

test('a socket that is named like a line of the table puts nobody else at the other end', () => {
  const forged = 'u_str LISTEN 0 0 /tmp/x\nu_str ESTAB 0 0 * 400 * 100 users:(("host",pid=9,fd=22))'
  expect(peerEnd(`${forged}\n${TABLE}`, '400', 9)).toEqual({ inode: 'ambiguous', holders: null })
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
