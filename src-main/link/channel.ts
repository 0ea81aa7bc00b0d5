// A local socket as a stream of messages. Both ends are ours: a peer that breaks the form is cut off.

import type { Socket } from 'node:net'
import { createFrameReader } from '../mcp/framing.ts'
import { isObject, parseJson, type JsonObject } from '../mcp/json.ts'
import { MAX_HANDSHAKE_BYTES, MAX_MESSAGE_BYTES, MAX_MESSAGE_DEPTH } from './messages.ts'

export interface Channel {
  send: (message: object) => void
  /** The next message; rejects when the channel ends before. Until `listen`, a peer may send little. */
  receive: () => Promise<JsonObject>
  /** From now on every message goes to the handler, those that came meanwhile first. */
  listen: (handler: (message: JsonObject) => void) => void
  /** Bytes that wait for the peer to read. */
  queued: () => number
  /** Stops and goes on reading what the peer sends. */
  pause: () => void
  resume: () => void
  onDrain: (listener: () => void) => void
  /** What was sent still goes out. */
  close: () => void
  destroy: () => void
  readonly closed: Promise<void>
}

export class ChannelClosed extends Error {
  override name = 'ChannelClosed'
}

/** A peer that does not read must not keep a closed connection open. */
const LAST_WORDS_MS = 500

export function openChannel(socket: Socket): Channel {
  let batch = ''
  let received = 0
  let handler: ((message: JsonObject) => void) | null = null
  let waiter: { resolve: (message: JsonObject) => void; reject: (error: Error) => void } | null = null
  let over = false
  const inbox: JsonObject[] = []

  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      over = true
      waiter?.reject(new ChannelClosed('The connection ended.'))
      resolve()
    })
  })
  // 'close' follows every error and is what counts; why a local peer went away changes nothing for us.
  socket.on('error', () => socket.destroy())

  const reader = createFrameReader({
    maxBytes: MAX_MESSAGE_BYTES,
    onLine(line) {
      const parsed = parseJson(line, MAX_MESSAGE_DEPTH)
      if (socket.destroyed) return
      if (!parsed.ok || !isObject(parsed.value)) socket.destroy()
      else if (handler !== null) handler(parsed.value)
      else if (waiter !== null) {
        const { resolve } = waiter
        waiter = null
        resolve(parsed.value)
      } else inbox.push(parsed.value)
    },
    onFault: () => socket.destroy(),
  })
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length
    if (handler === null && received > MAX_HANDSHAKE_BYTES) socket.destroy()
    else reader.push(chunk)
  })

  function flush(): void {
    const text = batch
    batch = ''
    if (text !== '' && socket.writable) socket.write(text)
  }

  return {
    send(message) {
      // Messages of one turn go out in one write.
      if (batch === '') queueMicrotask(flush)
      batch += `${JSON.stringify(message)}\n`
    },
    receive() {
      const first = inbox.shift()
      if (first !== undefined) return Promise.resolve(first)
      if (over) return Promise.reject(new ChannelClosed('The connection ended.'))
      return new Promise((resolve, reject) => (waiter = { resolve, reject }))
    },
    listen(listener) {
      handler = listener
      for (const message of inbox.splice(0)) listener(message)
    },
    queued: () => socket.writableLength + batch.length,
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    onDrain: (listener) => socket.on('drain', listener),
    close() {
      flush()
      socket.destroySoon()
      const impatience = setTimeout(() => socket.destroy(), LAST_WORDS_MS)
      socket.once('close', () => clearTimeout(impatience))
    },
    destroy: () => socket.destroy(),
    closed,
  }
}
