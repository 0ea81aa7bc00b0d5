import path from 'node:path'
import { callTool } from './host.ts'
import { readPassphrase } from './input.ts'
import type { Io } from './io.ts'
import type { Output } from './output.ts'

export async function exportBackup(io: Io, file: string): Promise<Output> {
  const passphrase = await readPassphrase(io, true)
  const { text, structured } = await callTool(io, 'export_backup', { path: path.resolve(io.cwd, file), passphrase })
  return { json: structured, lines: [text] }
}

/** Clients of the backup get no keys unless that was asked for; the person is shown which they are either way. */
export async function importBackup(io: Io, file: string, withKeys: boolean): Promise<Output> {
  const passphrase = await readPassphrase(io, false)
  const { text, structured } = await callTool(io, 'import_backup', { path: path.resolve(io.cwd, file), passphrase, with_keys: withKeys })
  return { json: structured, lines: [text] }
}
