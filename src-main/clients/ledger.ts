// What we wrote where: the memory that tells our entry from others', and lets a removal give back what was there before.

import { isDeepStrictEqual } from 'node:util'
import { macOf, subkey } from '../host/keys.ts'
import type { RegistrationHooks } from '../host/registrations.ts'

export interface LedgerFile {
  path: string
  /** What was there when we came: a file at all, and how many of the keys on our path were not. */
  existed: boolean
  ownKeys: number
  madeFolders: string[]
  /** The bytes from before, where they held no entry of our name. */
  backup: string | null
  /** Of the bytes we left. Keyed: the file may hold other people's tokens. */
  mark: string
}

export interface Registered {
  client: string
  since: number
  files: LedgerFile[]
}

const PREFIX = 'registration:'

export type Ledger = ReturnType<typeof openLedger>

export function openLedger({ ledger, key, clock }: Pick<RegistrationHooks, 'ledger' | 'key' | 'clock'>) {
  const markKey = subkey(key, 'config marks v1')
  // The rows are signed, so their shape is ours.
  const get = (client: string) => ledger.get(PREFIX + client) as Registered | null
  return {
    mark: (bytes: Buffer | null): string => macOf(markKey, [bytes === null ? null : bytes.toString('base64')]).toString('hex'),
    get,
    all: (): Registered[] =>
      ledger
        .list()
        .filter(({ id }) => id.startsWith(PREFIX))
        .map(({ body }) => body as Registered),
    file: (client: string, path: string): LedgerFile | null => get(client)?.files.find((file) => file.path === path) ?? null,
    put(client: string, file: LedgerFile): void {
      const known = get(client) ?? { client, since: clock.now(), files: [] }
      const next = { ...known, files: [...known.files.filter(({ path }) => path !== file.path), file] }
      if (!isDeepStrictEqual(known, next)) ledger.put(PREFIX + client, next)
    },
    drop(client: string, path: string): void {
      const known = get(client)
      if (known === null) return
      const files = known.files.filter((file) => file.path !== path)
      if (files.length === 0) ledger.remove(PREFIX + client)
      else ledger.put(PREFIX + client, { ...known, files })
    },
  }
}
