import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { inspectTcpPeer, tcpEnd } from './tcp-peer.ts'

/** Our ends of so many connections to one port. */
async function connections(count: number): Promise<Socket[]> {
  const accepted: Socket[] = []
  const server = createServer((socket) => accepted.push(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const clients = Array.from({ length: count }, () => connect((server.address() as AddressInfo).port, '127.0.0.1'))
  onTestFinished(() => {
    for (const socket of [...clients, ...accepted]) socket.destroy()
    server.close()
  })
  await expect.poll(() => accepted.length, { timeout: 10_000 }).toBe(count)
  return accepted
}

describe('the process at the other end of a loopback connection', () => {
  test('is the one that holds it, with those that started it', async () => {
    const [socket] = await connections(1)
    const peer = await inspectTcpPeer(socket!)
    expect(peer.proven).toBe(true)
    expect(peer.steps[0]).toMatchObject({ pid: process.pid, exe: process.execPath })
    expect(peer.steps[1]?.pid).toBe(process.ppid)
  })

  test('is found for many connections that come at once', async () => {
    const sockets = await connections(40)
    for (const peer of await Promise.all(sockets.map(inspectTcpPeer))) expect(peer.steps[0]?.pid).toBe(process.pid)
  })

  test('is unknown where nobody holds it', async () => {
    expect(await inspectTcpPeer({ localPort: 1, remotePort: 2 })).toEqual({ steps: [], proven: false })
  })
})

test.each([
  [
    'one process',
    'ESTAB 0 0 127.0.0.1:5 127.0.0.1:6 users:(("curl",pid=7,fd=5)) uid:1000 ino:123 sk:2 cgroup:/ <->\n',
    { inode: '123', holders: [{ pid: 7, fd: 5 }] },
  ],
  [
    'several that share it, one with a name that looks like the rest',
    'ESTAB 0 0 127.0.0.1:5 127.0.0.1:6 users:(("a",pid=7,fd=5),("b)) ino:9",pid=8,fd=5)) timer:(keepalive,1sec,0) ino:123 sk:2\n',
    {
      inode: '123',
      holders: [
        { pid: 7, fd: 5 },
        { pid: 8, fd: 5 },
      ],
    },
  ],
  ['a process of somebody else', 'ESTAB 0 0 127.0.0.1:5 127.0.0.1:6 uid:1001 ino:123 sk:2\n', null],
  ['nothing', '', null],
])('%s is read from the system’s table', (_what, line, end) => {
  const others = 'ESTAB 0 0 127.0.0.1:55 127.0.0.1:6 users:(("nc",pid=9,fd=3)) ino:9 sk:1\n'
  expect(tcpEnd(others + line, 5)).toEqual(end)
})
