import type { IncomingMessage } from 'node:http'
import { MAX_MESSAGE_BYTES } from '../../mcp/server.ts'

/** One that was read to its end. */
export type WholeBody = { is: 'text'; text: string } | { is: 'not utf-8' }
export type Body = WholeBody | { is: 'too long' } | { is: 'gone' }

const decoder = new TextDecoder('utf-8', { fatal: true })

/** The whole body, or what is wrong with it. By events: leaving a loop over the request early would destroy its connection. */
export function readBody(request: IncomingMessage): Promise<Body> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    let ended = false
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= MAX_MESSAGE_BYTES) chunks.push(chunk)
      else resolve({ is: 'too long' })
    })
    request.on('end', () => {
      ended = true
      resolve(decode(chunks))
    })
    request.on('close', () => {
      if (!ended) resolve({ is: 'gone' })
    })
  })
}

function decode([first, ...rest]: Buffer[]): WholeBody {
  if (first === undefined) return { is: 'text', text: '' }
  try {
    return { is: 'text', text: decoder.decode(rest.length === 0 ? first : Buffer.concat([first, ...rest])) }
  } catch {
    return { is: 'not utf-8' }
  }
}
