// A backup on disk: a readable first line with how to get from the passphrase to the key, then one sealed box. Plaintext exists
// in memory alone.

import { hash } from 'node:crypto'
import { open as openFile } from 'node:fs/promises'
import { z } from 'zod'
import { CLIENT_ID } from '../../src-shared/client.ts'
import { nameFault, valueFault } from '../../src-shared/names.ts'
import { contract } from '../../src-shared/rpc.ts'
import { settingsSchema } from '../../src-shared/settings.ts'
import { isErrno, writeNewFile } from './files.ts'
import { deriveKey, newKdfParams, open, seal, SealError, type KdfParams } from './sealing.ts'

/** What a person reads when a backup cannot be written or read. */
export class BackupError extends Error {
  override name = 'BackupError'
}

const MAGIC = 'countersign-backup'
const FORMAT = 1
const MAX_FILE_BYTES = 1024 * 1024 * 1024
const MAX_HEADER_BYTES = 1024

const time = z.number().int()
const value = z.string().refine((text) => valueFault(text) === null, 'is not a value')
const versionSchema = z.strictObject({ version: z.number().int().min(1), created: time, storedBy: z.string(), value })
const secretSchema = z.strictObject({
  name: z.string().refine((name) => nameFault(name) === null, 'is not a name'),
  created: time,
  tags: z.array(z.string()),
  expires: time.nullable(),
  current: versionSchema,
  history: z.array(versionSchema),
})
const clientSchema = z.strictObject({ id: z.string().regex(CLIENT_ID), name: z.string(), policy: z.string(), paused: z.boolean() })
const contentsSchema = z.strictObject({
  secrets: z.array(secretSchema),
  policies: z.array(contract['policies.save'].params),
  clients: z.array(clientSchema),
  settings: settingsSchema.partial(),
})
export type BackupContents = z.infer<typeof contentsSchema>

export interface BackupFile {
  contents: BackupContents
  /** Of the bytes it was read from. */
  sha256: string
}

const headerSchema = z.strictObject({
  format: z.number().int(),
  kdf: z.strictObject({ kdf: z.literal('scrypt'), N: z.number(), r: z.number(), p: z.number(), salt: z.string().max(128) }),
})

export async function writeBackup(file: string, passphrase: string, contents: BackupContents, kdf = newKdfParams()): Promise<void> {
  const header = headerText(kdf)
  const key = await deriveKey(passphrase, kdf)
  const plain = Buffer.from(JSON.stringify(contents))
  const box = seal(key, [MAGIC, header], plain)
  plain.fill(0)
  key.fill(0)
  try {
    await writeNewFile(file, Buffer.concat([Buffer.from(header), box]))
  } catch (error) {
    if (!isErrno(error)) throw error
    const reason = error.code === 'EEXIST' ? 'there is a file of that name already' : (error.code ?? error.message)
    throw new BackupError(`The backup was not written to ${file}: ${reason}.`, { cause: error })
  }
}

/** Everything is read and checked before anything is used. */
export async function readBackup(file: string, passphrase: string): Promise<BackupFile> {
  const bytes = await readWhole(file)
  const end = bytes.subarray(0, MAX_HEADER_BYTES).indexOf('\n')
  const header = bytes.subarray(0, end + 1).toString('utf8')
  if (end < 0 || !header.startsWith(`${MAGIC} `)) throw new BackupError(`${file} is not a backup of Countersign.`)
  const parsed = headerSchema.safeParse(json(header.slice(MAGIC.length)))
  if (parsed.success && parsed.data.format > FORMAT) {
    throw new BackupError(`${file} was written by a newer Countersign. Update Countersign and try again.`)
  }
  if (!parsed.success) throw new BackupError(`${file} is damaged.`)
  const text = await opened(passphrase, header, parsed.data.kdf, bytes.subarray(end + 1))
  // What the schema would say is left out: it could repeat parts of the contents.
  const contents = contentsSchema.safeParse(json(text))
  if (!contents.success) throw new BackupError(`${file} opens, but what it holds is not as it should be. Nothing was imported.`)
  return { contents: contents.data, sha256: hash('sha256', bytes) }
}

async function opened(passphrase: string, header: string, kdf: KdfParams, box: Buffer): Promise<string> {
  try {
    const key = await deriveKey(passphrase, kdf)
    const plain = open(key, [MAGIC, header], box)
    key.fill(0)
    const text = plain.toString('utf8')
    plain.fill(0)
    return text
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    throw new BackupError('The passphrase is wrong, or the file was damaged or changed. Nothing was imported.', { cause: error })
  }
}

function headerText(kdf: KdfParams): string {
  return `${MAGIC} ${JSON.stringify({ format: FORMAT, kdf })}\n`
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function readWhole(file: string): Promise<Buffer> {
  try {
    const handle = await openFile(file, 'r')
    try {
      const stat = await handle.stat()
      if (!stat.isFile()) throw new BackupError(`${file} is not a file.`)
      if (stat.size > MAX_FILE_BYTES) throw new BackupError(`${file} is too large to be a backup.`)
      return await handle.readFile()
    } finally {
      await handle.close()
    }
  } catch (error) {
    if (!isErrno(error)) throw error
    throw new BackupError(`${file} cannot be read: ${error.code === 'ENOENT' ? 'there is no such file' : (error.code ?? error.message)}.`, {
      cause: error,
    })
  }
}
