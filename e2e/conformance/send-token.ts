// Loaded into the suite's process before it: the suite has no option for a token, and ours answers nobody without one. Whatever
// that process sends, by whichever of Node's clients, carries it.

import { subscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'

const authorization = `Bearer ${process.env['CONFORMANCE_TOKEN']}`

interface FetchRequest {
  addHeader: (name: string, value: string) => void
}

subscribe('undici:request:create', (message) => {
  // The channel's message, as Node documents it.
  const { request } = message as { request: FetchRequest }
  request.addHeader('authorization', authorization)
})
subscribe('http.client.request.created', (message) => {
  const { request } = message as { request: ClientRequest }
  request.setHeader('authorization', authorization)
})
