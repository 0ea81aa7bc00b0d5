// A bare end of the local socket, for tests that say what no honest program would.

import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'
import readline from 'node:readline'

export type Message = Record<string, unknown>

export interface Wire {
  say: (message: object | string) => void
  /** The next message; null when the other end has closed. */
  hear: () => Promise<Message | null>
  closed: Promise<unknown>
  socket: net.Socket
  end: () => void
}

export function wireOf(socket: net.Socket): Wire {
  socket.on('error', () => undefined)
  const lines = readline.createInterface({ input: socket })[Symbol.asyncIterator]()
  return {
    say: (message) => socket.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
    async hear() {
      const line = await lines.next()
      return line.done === true ? null : (JSON.parse(line.value) as Message)
    },
    closed: once(socket, 'close'),
    socket,
    end: () => socket.destroy(),
  }
}

export async function dial(file: string): Promise<Wire> {
  const socket = net.connect(file)
  await once(socket, 'connect')
  return wireOf(socket)
}

export const NONCE = '11'.repeat(32)

export const hello = (client: string | null, kind = 'bridge', v = 1): object => ({ hello: { v, client, nc: NONCE, kind } })

/** Written out once more from the description of the protocol, so that a slip in the code under test shows. */
export function proof(key: Buffer, role: 'host' | 'client', nc: string, ns: string): string {
  return createHmac('sha256', key)
    .update(Buffer.concat([Buffer.from(role), Buffer.from(nc, 'hex'), Buffer.from(ns, 'hex')]))
    .digest('hex')
}
