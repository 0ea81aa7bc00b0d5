// Writing a file so that it is whole or not there, and readable by its owner alone.

import { randomBytes } from 'node:crypto'
import { closeSync, constants, fsyncSync, openSync } from 'node:fs'
import { copyFile, link, open, unlink } from 'node:fs/promises'
import path from 'node:path'

/** Fails when something is there already: nothing is ever overwritten. */
export async function writeNewFile(file: string, bytes: Buffer): Promise<void> {
  const beside = path.join(path.dirname(file), `.${path.basename(file)}.${randomBytes(6).toString('hex')}.part`)
  try {
    const handle = await open(beside, 'wx', 0o600)
    try {
      await handle.chmod(0o600)
      await handle.writeFile(bytes)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await putInPlace(beside, file)
  } finally {
    await unlink(beside).catch(ignoreAbsent)
  }
  syncFolder(path.dirname(file))
}

/** A rename is on disk only when its folder is. */
export function syncFolder(folder: string): void {
  // Windows cannot open folders, and does not need to.
  if (process.platform === 'win32') return
  const fd = openSync(folder, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/** A link appears at once and never over something; memory sticks often know no links, so there it is a copy. */
async function putInPlace(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!isErrno(error) || !['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(error.code ?? '')) throw error
    await copyFile(from, to, constants.COPYFILE_EXCL)
  }
}

export function isErrno(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error
}

function ignoreAbsent(error: unknown): void {
  if (!isErrno(error) || error.code !== 'ENOENT') throw error
}
