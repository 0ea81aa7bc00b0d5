// A client sends the same headers with every request over a connection. What was found about them is good for the next request
// that has the very same ones; whether the token still lets anybody in is asked each time.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Proof } from '../../host/tokens.ts'

interface Head {
  /** As they came, names and values in turn. */
  raw: readonly string[]
  headers: IncomingHttpHeaders
  proof: Proof
}

export interface Heads {
  /** These headers are in order, and this is what their token was found to prove. */
  remember: (request: IncomingMessage, proof: Proof) => void
  /** Null where they differ in anything from the last that were in order on this connection. */
  recall: (request: IncomingMessage) => Proof | null
}

export function createHeads(): Heads {
  const last = new WeakMap<Socket, Head>()
  return {
    remember: ({ socket, rawHeaders, headers }, proof) => void last.set(socket, { raw: rawHeaders, headers, proof }),
    recall(request) {
      const head = last.get(request.socket)
      if (head === undefined || !isSame(head.raw, request.rawHeaders)) return null
      // Otherwise Node reads them once more.
      request.headers = head.headers
      return head.proof
    },
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false
  return true
}
