// The same request again and again over connections that stay open, with as little work on this side as possible, since it shares
// the machine with what it measures: the bytes are made once, and answers to equal requests are equally long, so that only the
// first of each connection is read closely.

import { connect } from 'node:net'

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
  const times: number[] = []
  const began = performance.now()
  const failures = await Promise.all(Array.from({ length: connections }, () => drive(target.port, bytes, began + ms, times)))
  const seconds = (performance.now() - began) / 1000
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0
  return { perSecond: times.length / seconds, p50: at(0.5), p99: at(0.99), failed: failures.reduce((sum, count) => sum + count, 0) }
}

function requestBytes({ port, headers, body }: Target): Buffer {
  const lines = Object.entries({ Host: `127.0.0.1:${port}`, ...headers, 'Content-Length': String(Buffer.byteLength(body)) })
  return Buffer.from(`POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`)
}

const OK = Buffer.from('HTTP/1.1 200')

/** One connection: the next request as soon as the one before is answered. Resolves with how many were not answered with 200. */
function drive(port: number, bytes: Buffer, until: number, times: number[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let received: Buffer = Buffer.alloc(0)
    let usual = -1
    let sent = 0
    let failed = 0

    function next(): void {
      sent = performance.now()
      if (sent < until) socket.write(bytes)
      else socket.destroy()
    }

    socket.setNoDelay(true)
    socket.on('connect', next)
    socket.on('error', reject)
    socket.on('close', () => resolve(failed))
    socket.on('data', (chunk: Buffer) => {
      const whole = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const isWhole = whole.length === usual || whole.length === lengthOf(whole)
      received = isWhole ? Buffer.alloc(0) : whole
      if (!isWhole) return
      usual = whole.length
      if (whole.compare(OK, 0, OK.length, 0, OK.length) !== 0) failed++
      times.push(performance.now() - sent)
      next()
    })
  })
}

/** How long the answer is that begins here; -1 while that cannot be told. */
function lengthOf(bytes: Buffer): number {
  const head = bytes.indexOf('\r\n\r\n')
  if (head === -1) return -1
  const length = /\r\ncontent-length: (\d+)/i.exec(bytes.toString('latin1', 0, head))?.[1]
  if (length !== undefined) return head + 4 + Number(length)
  const last = bytes.indexOf('\r\n0\r\n\r\n', head)
  return last === -1 ? -1 : last + 7
}
