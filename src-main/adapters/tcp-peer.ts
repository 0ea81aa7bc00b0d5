// Who is calling over loopback TCP. As with the local socket it is evidence for the person and the log, never a wall: where the
// system does not tell, the caller is an unknown process.

import type { Socket } from 'node:net'
import { chainByProc, holdersIn, holdsSocket, run, UNKNOWN, type Holder, type Peer } from './processes.ts'

export async function inspectTcpPeer(socket: Pick<Socket, 'localPort' | 'remotePort'>): Promise<Peer> {
  const { localPort, remotePort } = socket
  if (process.platform !== 'linux' || localPort === undefined || remotePort === undefined) return UNKNOWN
  const end = tcpEnd(await endsAt(localPort), remotePort)
  for (const holder of end?.holders ?? []) {
    const steps = await chainByProc(holder.pid)
    // Asked after the chain was read: whoever holds this end now is who the chain describes, not a later owner of its pid.
    if (end !== null && steps.length > 0 && (await holdsSocket(holder, end.inode))) return { steps, proven: true }
  }
  return UNKNOWN
}

/** A look that is yet to start serves everybody who asks meanwhile: many connections at once cost two looks. */
const looks = new Map<number, { running: Promise<string>; next: Promise<string> | null }>()

/** The clients' ends of all connections to a port of ours. */
function endsAt(port: number): Promise<string> {
  const look = looks.get(port)
  if (look === undefined) return begin(port)
  look.next ??= look.running.then(() => begin(port))
  return look.next
}

function begin(port: number): Promise<string> {
  const running = run('ss', ['-tnpeH', 'dst', `127.0.0.1:${port}`])
  const look = { running, next: null }
  looks.set(port, look)
  void running.then(() => {
    if (looks.get(port) === look && look.next === null) looks.delete(port)
  })
  return running
}

/** A connection's line as `ss -tnpe` prints it: `ESTAB 0 0 127.0.0.1:5 127.0.0.1:6 users:(("curl",pid=7,fd=5)) … ino:123 …`. */
export function tcpEnd(table: string, theirPort: number): { inode: string; holders: Holder[] } | null {
  const line = table.split('\n').find((one) => one.split(/\s+/, 4)[3] === `127.0.0.1:${theirPort}`) ?? ''
  const [, users = '', rest = ''] = /\susers:\((.*)\)\s(.*)$/.exec(line) ?? []
  const inode = /(?:^|\s)ino:(\d+)/.exec(rest)?.[1]
  if (inode === undefined) return null
  return { inode, holders: holdersIn(users) }
}
