// Who may talk to a server on 127.0.0.1: pages that it served itself, and programs. A page of another site can reach the port
// too (by DNS rebinding even under a name of its own), so Host and Origin are checked on every request, before anything else.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

/** Why a request is refused, as a sentence; null when it may go on. */
export function guardFault(request: Pick<IncomingMessage, 'headers' | 'rawHeaders'>, port: number): string | null {
  const { headers } = request
  const host = headers.host ?? ''
  if (countOf(request.rawHeaders, 'host') !== 1 || !isOwnHost(host, port)) return 'This address is not served here.'
  if (countOf(request.rawHeaders, 'origin') > 1) return 'This page may not talk to Countersign.'
  if (headers.origin !== undefined && headers.origin !== `http://${host}`) return 'This page may not talk to Countersign.'
  if (!fetchedByUs(headers)) return 'This page may not talk to Countersign.'
  return null
}

const isOwnHost = (host: string, port: number): boolean => host === `127.0.0.1:${port}` || host === `localhost:${port}`

/** Browsers say from where a request comes even when they send no Origin: an image, a script, a frame of another site. */
function fetchedByUs(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site']
  if (site === undefined || site === 'same-origin' || site === 'none') return true
  // Following a link to our page from anywhere is fine: it shows a page that nobody can frame, read or script.
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
}

/** How often a header was sent: Node keeps only the first of some. */
export function countOf(rawHeaders: string[], name: string): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index] ?? ''
    if (header.length === name.length && header.toLowerCase() === name) count++
  }
  return count
}
