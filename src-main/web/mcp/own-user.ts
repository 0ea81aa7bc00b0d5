// The check of peer.ts for an endpoint that many connections may come to at once: asked when a connection first wants something,
// so that idle ones cost nothing, and with one look at the table for all who ask meanwhile.

import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { ownsEnd } from '../peer.ts'

/** True unless the system says that the other end belongs to another user; at once where it has been asked before. */
export function createUserCheck(): (socket: Socket) => boolean | Promise<boolean> {
  const known = new WeakMap<Socket, boolean | Promise<boolean>>()
  let running: Promise<string | null> | null = null
  let next: Promise<string | null> | null = null

  /** The table as of some moment after this call. */
  function table(): Promise<string | null> {
    if (running === null) return look()
    next ??= running.then(() => {
      next = null
      return look()
    })
    return next
  }

  function look(): Promise<string | null> {
    // Where there is none, the system says nothing, and the token is the only wall.
    const result = readFile('/proc/net/tcp', 'latin1').catch(() => null)
    running = result
    void result.then(() => {
      if (running === result) running = null
    })
    return result
  }

  async function isOwn({ remotePort, localPort }: Socket): Promise<boolean> {
    const uid = process.getuid?.()
    if (uid === undefined || remotePort === undefined || localPort === undefined) return true
    const found = await table()
    return found === null || ownsEnd(found, remotePort, localPort, uid)
  }

  return (socket) => {
    const before = known.get(socket)
    if (before !== undefined) return before
    const answer = isOwn(socket).then((own) => {
      known.set(socket, own)
      return own
    })
    known.set(socket, answer)
    return answer
  }
}
