// Our pages, under a scheme of our own. They are read once at start and served from that table: no path from a page ever reaches
// the file system.

import { protocol } from 'electron'
import { readPage } from '../web/files.ts'
import { pageHeaders } from '../web/headers.ts'

const SCHEME = 'app'
export const ORIGIN = `${SCHEME}://countersign`

export type Page = 'index.html' | 'prompt.html'

export const addressOf = (page: Page): string => `${ORIGIN}/${page}`

/** Before the app is ready. */
export function declareScheme(): void {
  protocol.registerSchemesAsPrivileged([{ scheme: SCHEME, privileges: { standard: true, secure: true } }])
}

export async function servePages(folder: string): Promise<void> {
  const files = await readPage(folder)
  // A page talks to us by messages alone, so it may connect to nothing.
  const headers = pageHeaders("'none'")
  protocol.handle(SCHEME, ({ method, url }) => {
    const file = method === 'GET' && url.startsWith(`${ORIGIN}/`) ? files.get(new URL(url).pathname) : undefined
    if (file === undefined) return new Response('Not found', { status: 404, headers })
    return new Response(new Uint8Array(file.body), { headers: { ...headers, 'Content-Type': file.type, 'Cache-Control': 'no-store' } })
  })
}
