// The built page. It is read once at start, and a request is answered from that table alone: no path from outside ever reaches
// the file system, so there is nothing to break out of.

import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

export interface PageFile {
  type: string
  cache: string
  body: Buffer
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
}

/** URL path → file, for every regular file below `folder` of a type that pages use. Links are not followed. */
export async function readPage(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = new Map<string, PageFile>()
  for (const entry of entries) {
    const type = TYPES[path.extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    const file = path.join(entry.parentPath, entry.name)
    const url = `/${path.relative(folder, file).split(path.sep).join('/')}`
    files.set(url, { type, cache: cacheFor(url), body: await readFile(file) })
  }
  const index = files.get('/index.html')
  if (index === undefined) throw new Error(`The page is not built: there is no index.html in ${folder}. Run the build first.`)
  return files.set('/', index)
}

/** The build puts a hash of the content into the names below /assets/; everything else may change under its name. */
function cacheFor(url: string): string {
  return url.startsWith('/assets/') ? 'private, max-age=31536000, immutable' : 'no-store'
}
