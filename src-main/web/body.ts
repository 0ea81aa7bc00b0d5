import type { IncomingMessage } from 'node:http'

export const MAX_BODY = 1024 * 1024

/** A request that is answered with a status and a sentence. */
export class HttpFault extends Error {
  override name = 'HttpFault'
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The JSON object a request carries. Nothing else is accepted: a form of another site cannot send this content type unasked. */
export async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') throw new HttpFault(415, 'Send JSON: the content type must be application/json.')
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY) throw tooLarge()
  const value = parse(await readBytes(request))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notJson()
  return value as Record<string, unknown> // An object that is no array: its fields are unknown, and typed so.
}

/** By events, not by iteration: leaving a loop over the request early would destroy the connection before the answer is sent. */
function readBytes(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MAX_BODY) reject(tooLarge())
      else chunks.push(chunk)
    })
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('error', reject)
    request.on('close', () => reject(new HttpFault(400, 'The request ended early.')))
  })
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw notJson() // The parser's own message quotes the input, which may hold a passphrase.
  }
}

const notJson = () => new HttpFault(400, 'The body must be a JSON object.')
const tooLarge = () => new HttpFault(413, 'The body is larger than 1 MiB.')
