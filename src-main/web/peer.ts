// A port on 127.0.0.1 is open to every user of the machine, and the PIN is set by whoever comes first. Linux tells which user
// owns the other end of a loopback connection, so there everybody else is turned away before a byte is read.

import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'

const ESTABLISHED = '01'

/** True unless the system says that the other end belongs to another user. Where it says nothing, the PIN is the only wall. */
export function isOwnUser(socket: Pick<Socket, 'remotePort' | 'localPort'>): boolean {
  const uid = process.getuid?.()
  if (uid === undefined || socket.remotePort === undefined || socket.localPort === undefined) return true
  const table = readTable()
  return table === null || ownsEnd(table, socket.remotePort, socket.localPort, uid)
}

/** Looks for the client's end: its local port is our remote one. Root may come in: it could anyway. */
export function ownsEnd(table: string, theirPort: number, ourPort: number, uid: number): boolean {
  // The table has a line for every connection of the machine, and each of them may be ours: only one of them is taken apart.
  const at = table.indexOf(` ${address(theirPort)} ${address(ourPort)} `)
  if (at === -1) return false
  const [, , state, , , , owner] = table.slice(at, table.indexOf('\n', at)).trim().split(/\s+/)
  // An end whose program has closed it is listed as root's, so root counts only while the connection stands.
  return owner === String(uid) || (owner === '0' && state === ESTABLISHED)
}

function readTable(): string | null {
  try {
    return readFileSync('/proc/net/tcp', 'latin1')
  } catch {
    return null // Not Linux, or a sandbox without /proc: the system says nothing.
  }
}

/** 127.0.0.1 as the kernel prints it: a 32-bit number in the machine's byte order. */
function address(port: number): string {
  const loopback = new Uint32Array(Uint8Array.of(127, 0, 0, 1).buffer)[0] ?? 0
  return `${hex(loopback, 8)}:${hex(port, 4)}`
}

function hex(number: number, digits: number): string {
  return number.toString(16).toUpperCase().padStart(digits, '0')
}
