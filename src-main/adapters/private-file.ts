// Small files that only we may read and nobody else may have written.

import { closeSync, constants, fchmodSync, fstatSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { syncFolder } from '../host/files.ts'
import { folderInTheWay, FolderRefused, prepareFolder, privateFileFault } from '../link/trust.ts'

/** null when there is none; refuses what is not ours alone. */
export function readPrivateFile(file: string): string | null {
  let descriptor: number
  try {
    // Windows has no such flag.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return null
    if (code === 'ELOOP') throw new FolderRefused(`'${file}' is a symbolic link.`)
    throw error
  }
  try {
    const fault = privateFileFault(file, fstatSync(descriptor))
    if (fault !== null) throw new FolderRefused(fault)
    return readFileSync(descriptor, 'utf8')
  } finally {
    closeSync(descriptor)
  }
}

/** Appears whole, with the right mode whatever the umask, or not at all; once written it stays. */
export function writePrivateFile(file: string, content: string): void {
  prepareFolder(path.dirname(file))
  const inTheWay = folderInTheWay(file)
  if (inTheWay !== null) throw new FolderRefused(inTheWay)
  const draft = `${file}.${process.pid}.new`
  rmSync(draft, { force: true })
  const descriptor = openSync(draft, 'wx', 0o600)
  try {
    if (process.platform !== 'win32') fchmodSync(descriptor, 0o600)
    writeFileSync(descriptor, content)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(draft, file)
  syncFolder(path.dirname(file))
}
