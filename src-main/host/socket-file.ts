// The socket's place in the file system: bound where nobody else can reach it, put there whole, and put back when it is gone.

import { randomBytes } from 'node:crypto'
import { chmodSync, renameSync, rmSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { FolderRefused, prepareFolder, socketState } from '../link/trust.ts'

export interface BoundSocket {
  /** False when the file is no longer the one we bound. */
  inPlace: () => boolean
  /** Accepts nobody any more and leaves the file alone: another socket has taken its place. */
  abandon: () => Promise<void>
  close: () => Promise<void>
}

/** Only for whoever holds the folder's lock: a socket of ours that lies there is then nobody's, and is replaced. */
export async function bindSocket(file: string, onConnection: (socket: net.Socket) => void): Promise<BoundSocket> {
  return process.platform === 'win32' ? bindPipe(file, onConnection) : bindFile(file, onConnection)
}

async function bindFile(file: string, onConnection: (socket: net.Socket) => void): Promise<BoundSocket> {
  prepareFolder(path.dirname(file))
  const before = socketState(file)
  if (before.is === 'refused') throw new FolderRefused(before.message)
  // Made under another name no longer than the real one, then renamed: it never appears with the wrong mode, a stale socket is
  // replaced at once, and closing the server later removes nothing that somebody else has put in its place.
  const draft = path.join(path.dirname(file), `h${randomBytes(4).toString('hex')}`)
  const server = await listen(draft, onConnection)
  try {
    chmodSync(draft, 0o600)
    renameSync(draft, file)
  } catch (error) {
    await closed(server)
    throw error
  }
  const bound = socketState(file)
  const inPlace = () => {
    const now = socketState(file)
    return bound.is === 'ours' && now.is === 'ours' && now.identity === bound.identity
  }
  return {
    inPlace,
    abandon: () => closed(server),
    async close() {
      if (inPlace()) rmSync(file, { force: true })
      await closed(server)
    },
  }
}

async function bindPipe(name: string, onConnection: (socket: net.Socket) => void): Promise<BoundSocket> {
  const server = await listen(name, onConnection)
  return { inPlace: () => server.listening, abandon: () => closed(server), close: () => closed(server) }
}

function listen(file: string, onConnection: (socket: net.Socket) => void): Promise<net.Server> {
  const server = net.createServer(onConnection)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(file, () => {
      server.off('error', reject)
      // Accepting fails when descriptors run out; those who come later are served again.
      server.on('error', () => undefined)
      resolve(server)
    })
  })
}

const closed = (server: net.Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()))
