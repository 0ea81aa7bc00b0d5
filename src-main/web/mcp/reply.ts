// One answer: plain JSON where there is nothing to tell before it, a stream of events as soon as there is.

import type { ServerResponse } from 'node:http'
import type { Notification, Response } from '../../mcp/jsonrpc.ts'
import { STREAM_TYPE } from './requests.ts'

/** On every answer. There is no CORS header among them, and there never will be. */
const ALWAYS = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff']
/** Readers that wait for a word give up at some point. */
const SIGN_OF_LIFE_MS = 25_000
/** Whoever lets this much pile up does not read. */
const MOST_UNREAD = 1 << 20

export interface Reply {
  notify: (message: Notification) => void
  /** `null`: the client has taken its request back, so that nothing is due. */
  finish: (status: number, message: Response | Response[] | null, headers?: Record<string, string>) => void
}

export function sendJson(response: ServerResponse, status: number, value: object, headers: Record<string, string> = {}): void {
  const body = JSON.stringify(value)
  const length = Buffer.byteLength(body)
  const type = ['Content-Type', 'application/json', 'Content-Length', String(length)]
  response.writeHead(status, [...ALWAYS, ...type, ...Object.entries(headers).flat()])
  // Where each character is one byte, latin1 is the same bytes as UTF-8, and sooner made.
  response.end(body, length === body.length ? 'latin1' : 'utf8')
}

export function sendNothing(response: ServerResponse, status: number): void {
  response.writeHead(status, [...ALWAYS, 'Content-Length', '0'])
  response.end()
}

export function createReply(response: ServerResponse): Reply {
  let beat: NodeJS.Timeout | undefined

  function stream(): void {
    response.writeHead(200, [...ALWAYS, 'Content-Type', STREAM_TYPE, 'X-Accel-Buffering', 'no'])
    beat = setInterval(() => response.write(':\n\n'), SIGN_OF_LIFE_MS)
    response.on('close', () => clearInterval(beat))
  }

  function send(message: object): void {
    if (response.writableLength > MOST_UNREAD) response.destroy()
    else response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
  }

  return {
    notify(message) {
      if (response.destroyed || response.writableEnded) return
      if (!response.headersSent) stream()
      send(message)
    },
    finish(status, message, headers) {
      if (response.destroyed || response.writableEnded) return
      if (!response.headersSent && message !== null) return sendJson(response, status, message, headers)
      // Nothing is due, and every request must be answered somehow: a stream that ends without a word is how.
      if (!response.headersSent) stream()
      if (message !== null) send(message)
      response.end()
    },
  }
}
