import net from 'node:net'
import type { Readable } from 'node:stream'

/** As much as Node reads from a pipe at once. */
const BUFFER_BYTES = 64 * 1024

/**
 * Standard input, read into one buffer again and again: a new one for every read piles up faster than it is collected, and a
 * hundred megabytes without a line feed cost fifty of memory. So a chunk is good only until its `data` event is over.
 */
export function openStdin(): Readable {
  try {
    const socket: net.Socket = new net.Socket({
      fd: 0,
      readable: true,
      writable: false,
      onread: {
        buffer: Buffer.allocUnsafeSlow(BUFFER_BYTES),
        callback: (bytes, buffer) => socket.emit('data', buffer.subarray(0, bytes)),
      },
    })
    return socket
  } catch {
    // A file or a terminal, which is not read this way.
    return process.stdin
  }
}
