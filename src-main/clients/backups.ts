// The bytes of a client's file from before each of our edits, sealed in our own folder: beside the file they would lie in the open.

import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { ConfigBackup } from '../../src-shared/registration.ts'
import { writePrivateFile } from '../adapters/private-file.ts'
import { open, seal, SealError } from '../host/sealing.ts'

const KEPT_PER_FILE = 5

export interface BackupsParts {
  folder: string
  key: Buffer
  now: () => number
  /** The list of them, kept where edits are noticed. */
  index: { read: () => ConfigBackup[]; write: (list: ConfigBackup[]) => void }
}

export type Backups = ReturnType<typeof openBackups>

export function openBackups({ folder, key, now, index }: BackupsParts) {
  const fileOf = (id: string): string => path.join(folder, 'config-backups', `${id}.sealed`)
  const parts = ({ id, path }: ConfigBackup): string[] => ['config backup', '1', id, path]

  return {
    list: (client: string): ConfigBackup[] => index.read().filter((backup) => backup.client === client),

    keep(client: string, file: string, bytes: Buffer | null): ConfigBackup {
      const backup: ConfigBackup = { id: randomBytes(8).toString('hex'), client, path: file, made: now(), existed: bytes !== null }
      writePrivateFile(fileOf(backup.id), seal(key, parts(backup), bytes ?? Buffer.alloc(0)).toString('base64'))
      const all = [...index.read(), backup]
      const old = all.filter(({ path }) => path === file).slice(0, -KEPT_PER_FILE)
      index.write(all.filter((each) => !old.includes(each)))
      for (const { id } of old) rmSync(fileOf(id), { force: true })
      return backup
    },

    /** Null when it is gone, or not as we sealed it. */
    read(id: string): { backup: ConfigBackup; bytes: Buffer | null } | null {
      const backup = index.read().find((each) => each.id === id)
      if (backup === undefined || !existsSync(fileOf(id))) return null
      try {
        const bytes = open(key, parts(backup), Buffer.from(readFileSync(fileOf(id), 'utf8'), 'base64'))
        return { backup, bytes: backup.existed ? bytes : null }
      } catch (error) {
        if (error instanceof SealError) return null
        throw error
      }
    },
  }
}
