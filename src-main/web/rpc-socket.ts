// One logged-in page on one WebSocket: {id, method, params} in, {id, result} or {id, error} out, and {event, data} in between.

import type { WebSocket } from 'ws'
import type { RpcFault } from '../../src-shared/rpc.ts'
import { createAnswerGuard } from '../host/answer-guard.ts'
import type { Door } from './door.ts'

const MOST_IN_FLIGHT = 64
/** A page that does not read while we keep telling it things is cut off; it comes back and asks for what is. */
const MOST_UNREAD = 8 * 1024 * 1024

interface Request {
  id: string | number
  method: string
  params: unknown
}

/** Serves `socket` until it closes. `used` is called for every message, since messages keep the session alive. */
export function serveRpc(socket: WebSocket, door: Door, used: () => void): void {
  const closed = new AbortController()
  const guard = createAnswerGuard(() => performance.now())
  let inFlight = 0

  function send(message: object): void {
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount > MOST_UNREAD) socket.terminate()
    else socket.send(JSON.stringify(message))
  }

  async function answer(request: Request): Promise<void> {
    inFlight++
    try {
      const ctx = { caller: null, signal: closed.signal, waiting: () => {}, guard }
      const result = await door.dispatch('window', request.method, request.params, ctx)
      send({ id: request.id, result: result ?? null })
    } catch (error) {
      send({ id: request.id, error: faultOf(error) })
    } finally {
      inFlight--
    }
  }

  const unsubscribe = door.subscribe('window', null, (event, data) => send({ event, data }))
  socket.on('message', (data, isBinary) => {
    used()
    const request = !isBinary && Buffer.isBuffer(data) ? parse(data.toString()) : null
    if (request === null) send({ id: null, error: fault('bad params', 'A message must be a JSON object with id, method and params.') })
    else if (inFlight >= MOST_IN_FLIGHT) send({ id: request.id, error: fault('refused', 'Too many requests at once; wait for an answer.') })
    else void answer(request)
  })
  socket.on('close', () => {
    unsubscribe()
    closed.abort()
  })
  // ws closes the connection itself after a protocol error such as an oversized message; there is nobody left to tell.
  socket.on('error', () => {})
}

function parse(text: string): Request | null {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof message !== 'object' || message === null || !('id' in message) || !('method' in message)) return null
  const { id, method } = message
  if ((typeof id !== 'string' && typeof id !== 'number') || typeof method !== 'string') return null
  return { id, method, params: 'params' in message ? message.params : {} }
}

function fault(code: RpcFault['code'], message: string): RpcFault {
  return { code, message }
}

/** What the door throws carries its fault; anything else is a mistake of ours, and its text may hold what no page should see. */
function faultOf(error: unknown): RpcFault {
  if (error instanceof Error && 'fault' in error && isFault(error.fault)) return { code: error.fault.code, message: error.fault.message }
  return fault('internal', 'Something went wrong inside Countersign.')
}

function isFault(value: unknown): value is RpcFault {
  return typeof value === 'object' && value !== null && 'code' in value && 'message' in value && typeof value.message === 'string'
}
