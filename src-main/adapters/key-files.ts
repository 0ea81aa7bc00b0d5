// A registration's key in our own folder, for its bridge to find. The AI client's config never holds it.

import { existsSync, rmSync } from 'node:fs'
import type { KeyFiles } from '../host/clients.ts'
import { keyFile } from './paths.ts'
import { readPrivateFile, writePrivateFile } from './private-file.ts'

export function openKeyFiles(folder: string): KeyFiles {
  return {
    write: (clientId, key) => writePrivateFile(keyFile(folder, clientId), `${key.toString('hex')}\n`),
    remove: (clientId) => rmSync(keyFile(folder, clientId), { force: true }),
    exists: (clientId) => existsSync(keyFile(folder, clientId)),
  }
}

/** null when there is no key, or nothing that could be one. */
export function readKey(folder: string, clientId: string): Buffer | null {
  const text = readPrivateFile(keyFile(folder, clientId))?.trim()
  return text !== undefined && /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, 'hex') : null
}
