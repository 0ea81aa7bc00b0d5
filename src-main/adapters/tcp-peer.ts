// Who is calling over loopback TCP. As with the local socket it is evidence for the person and the log, never a wall: where the
// system does not tell, the caller is an unknown process.

import type { Socket } from 'node:net'
import { chainByProc, holdsSocket, run, UNKNOWN, type Peer } from './processes.ts'

export async function inspectTcpPeer(socket: Pick<Socket, 'localPort' | 'remotePort'>): Promise<Peer> {
  const { localPort, remotePort } = socket
  if (process.platform !== 'linux' || localPort === undefined || remotePort === undefined) return UNKNOWN
  const theirs = ['src', `127.0.0.1:${remotePort}`, 'dst', `127.0.0.1:${localPort}`]
  const end = tcpEnd(await run('ss', ['-tnpeH', ...theirs]))
  for (const pid of end?.pids ?? []) {
    const steps = await chainByProc(pid)
    // Asked after the chain was read: whoever holds this end now is who the chain describes, not a later owner of its pid.
    if (end !== null && steps.length > 0 && (await holdsSocket(pid, end.inode))) return { steps, proven: true }
  }
  return UNKNOWN
}

/** The one line `ss -tnpe` prints for a connection: `… users:(("curl",pid=7,fd=5)) … ino:123 …`. */
export function tcpEnd(line: string): { inode: string; pids: number[] } | null {
  const [, users = '', rest = ''] = /\susers:\((.*)\)\s(.*)$/m.exec(line) ?? []
  const inode = /(?:^|\s)ino:(\d+)/.exec(rest)?.[1]
  if (inode === undefined) return null
  return { inode, pids: [...users.matchAll(/,pid=(\d+),fd=\d+\)/g)].map((match) => Number(match[1])) }
}
