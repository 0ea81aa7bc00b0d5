import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { inspectTcpPeer, tcpEnd } from './tcp-peer.ts'

async function pair(): Promise<Socket> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [socket] = (await once(server, 'connection')) as [Socket]
  onTestFinished(() => {
    client.destroy()
    socket.destroy()
    server.close()
  })
  return socket
}

describe('the process at the other end of a loopback connection', () => {
  test('is the one that holds it, with those that started it', async () => {
    const peer = await inspectTcpPeer(await pair())
    expect(peer.proven).toBe(true)
    expect(peer.steps[0]).toMatchObject({ pid: process.pid, exe: process.execPath })
    expect(peer.steps[1]?.pid).toBe(process.ppid)
  })

  test('is unknown where nobody holds it', async () => {
    expect(await inspectTcpPeer({ localPort: 1, remotePort: 2 })).toEqual({ steps: [], proven: false })
  })
})

test.each([
  [
    'one process',
    'ESTAB 0 0 127.0.0.1:1 127.0.0.1:2 users:(("curl",pid=7,fd=5)) uid:1000 ino:123 sk:2 cgroup:/ <->\n',
    { inode: '123', pids: [7] },
  ],
  [
    'several that share it, one with a name that looks like the rest',
    'ESTAB 0 0 127.0.0.1:1 127.0.0.1:2 users:(("a",pid=7,fd=5),("b)) ino:9",pid=8,fd=5)) timer:(keepalive,1sec,0) ino:123 sk:2\n',
    { inode: '123', pids: [7, 8] },
  ],
  ['a process of somebody else', 'ESTAB 0 0 127.0.0.1:1 127.0.0.1:2 uid:1001 ino:123 sk:2\n', null],
  ['nothing', '', null],
])('%s is read from the system’s table', (_what, line, end) => {
  expect(tcpEnd(line)).toEqual(end)
})
