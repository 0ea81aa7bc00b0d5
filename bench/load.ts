// The same request again and again over connections that stay open, with as little work on this side as possible: the bytes are
// made once, and of an answer only its end and its status are looked at.

import { connect, type Socket } from 'node:net'

export interface Target {
  port: number
  headers: Record<string, string>
  body: string
}

export interface Load {
  perSecond: number
  p50: number
  p99: number
  failed: number
}

export async function load(target: Target, connections: number, ms: number): Promise<Load> {
  const bytes = requestBytes(target)
  const until = performance.now() + ms
  const times: number[] = []
  let failed = 0
  const began = performance.now()
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const ask = await open(target.port)
      while (performance.now() < until) {
        const sent = performance.now()
        if ((await ask.request(bytes)) !== 200) failed++
        times.push(performance.now() - sent)
      }
      ask.close()
    }),
  )
  const seconds = (performance.now() - began) / 1000
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0
  return { perSecond: times.length / seconds, p50: at(0.5), p99: at(0.99), failed }
}

function requestBytes({ port, headers, body }: Target): Buffer {
  const lines = Object.entries({ Host: `127.0.0.1:${port}`, ...headers, 'Content-Length': String(Buffer.byteLength(body)) })
  return Buffer.from(`POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`)
}

async function open(port: number): Promise<{ request: (bytes: Buffer) => Promise<number>; close: () => void }> {
  const socket: Socket = await new Promise((resolve, reject) => {
    const made = connect(port, '127.0.0.1', () => resolve(made))
    made.once('error', reject)
  })
  socket.setNoDelay(true)
  let received = ''
  let answered: (status: number) => void = () => undefined
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    received += chunk
    const end = endOf(received)
    if (end === null) return
    const status = Number(received.slice(9, 12))
    received = received.slice(end)
    answered(status)
  })
  socket.on('close', () => answered(0))
  return {
    request: (bytes) =>
      new Promise((resolve) => {
        answered = resolve
        socket.write(bytes)
      }),
    close: () => socket.destroy(),
  }
}

/** Where the first answer in `text` ends; null while it has not. */
function endOf(text: string): number | null {
  const head = text.indexOf('\r\n\r\n')
  if (head === -1) return null
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, head))?.[1]
  if (length !== undefined) return text.length >= head + 4 + Number(length) ? head + 4 + Number(length) : null
  const last = text.indexOf('\r\n0\r\n\r\n', head)
  return last === -1 ? null : last + 7
}
