// A registration's key in our own folder, for its bridge to find. The AI client's config never holds it.

import { readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { KeyFiles } from '../host/clients.ts'
import { FolderRefused, keyFile, KEYS } from './paths.ts'
import { readPrivateFile, writePrivateFile } from './private-file.ts'

export function openKeyFiles(folder: string): KeyFiles {
  return {
    write: (clientId, key) => writePrivateFile(keyFile(folder, clientId), `${key.toString('hex')}\n`),
    remove: (clientId) => rmSync(keyFile(folder, clientId), { force: true }),
    holds: (clientId, key) => {
      try {
        return readKey(folder, clientId)?.equals(key) ?? false
      } catch (error) {
        // A link, or open to others: not the file we left.
        if (error instanceof FolderRefused) return false
        throw error
      }
    },
    keepOnly: (clientIds) => {
      const keys = path.join(folder, KEYS)
      const ours = new Set(clientIds.map((id) => path.basename(keyFile(folder, id))))
      for (const entry of readdirSync(keys, { withFileTypes: true })) {
        if (!entry.isDirectory() && !ours.has(entry.name)) rmSync(path.join(keys, entry.name), { force: true })
      }
    },
  }
}

/** null when there is no key, or nothing that could be one. */
export function readKey(folder: string, clientId: string): Buffer | null {
  const text = readPrivateFile(keyFile(folder, clientId))?.trim()
  return text !== undefined && /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, 'hex') : null
}
