// Which files and folders we may trust: ours by owner, closed to others, and never reached through a link.

import { chmodSync, lstatSync, mkdirSync, type Stats } from 'node:fs'
import path from 'node:path'

/** A file or folder that cannot be ours; the message is the sentence to show. */
export class FolderRefused extends Error {
  override name = 'FolderRefused'
}

const windows = process.platform === 'win32'
const OTHERS = 0o077

/** Windows has no owners in this sense; the profile's own permissions protect its folders. */
export const ownedByUs = (stats: Stats): boolean => windows || stats.uid === process.getuid?.()

/** Makes the folder ours alone, whatever the umask; a link or another user's folder is refused and left as it is. */
export function prepareFolder(folder: string): void {
  const before = lstatSync(folder, { throwIfNoEntry: false })
  if (before === undefined) mkdirSync(folder, { recursive: true, mode: 0o700 })
  const stats = lstatSync(folder)
  const fault = folderFault(folder, stats)
  if (fault !== null) throw new FolderRefused(fault)
  if (!windows && (stats.mode & 0o777) !== 0o700) chmodSync(folder, 0o700)
}

function folderFault(folder: string, stats: Stats): string | null {
  if (stats.isSymbolicLink()) return `The folder '${folder}' is a symbolic link; Countersign needs a folder of its own there.`
  if (!stats.isDirectory()) return `'${folder}' is in the way: Countersign needs a folder there.`
  if (!ownedByUs(stats)) return `The folder '${folder}' belongs to another user.`
  return null
}

/** The sentence for a folder that stands where one of our files should be; null where none does. */
export function folderInTheWay(file: string): string | null {
  if (lstatSync(file, { throwIfNoEntry: false })?.isDirectory() !== true) return null
  return `There is a folder at '${file}', where Countersign needs a file. Move it away, then start Countersign again.`
}

/** What speaks against trusting the content of a file. */
export function privateFileFault(file: string, stats: Stats): string | null {
  if (!stats.isFile()) return `'${file}' is not a plain file.`
  if (!ownedByUs(stats)) return `'${file}' belongs to another user.`
  if (!windows && (stats.mode & OTHERS) !== 0) return `'${file}' is open to other users.`
  return null
}

export type SocketState = { is: 'absent' } | { is: 'ours'; identity: string } | { is: 'refused'; message: string }

/** What lies at a socket's path, for whoever connects to it or is about to bind it. */
export function socketState(file: string): SocketState {
  const folder = path.dirname(file)
  const around = lstatSync(folder, { throwIfNoEntry: false })
  if (around === undefined) return { is: 'absent' }
  const fault = folderFault(folder, around)
  if (fault !== null) return { is: 'refused', message: fault }
  if ((around.mode & OTHERS) !== 0) return { is: 'refused', message: `The folder '${folder}' is open to other users.` }
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return { is: 'absent' }
  if (stats.isSymbolicLink()) return { is: 'refused', message: `'${file}' is a symbolic link, not the socket of Countersign; remove it.` }
  if (!stats.isSocket()) return { is: 'refused', message: `'${file}' is not a socket; move it away.` }
  if (!ownedByUs(stats)) return { is: 'refused', message: `The socket '${file}' belongs to another user.` }
  // The number of a deleted file is soon given to another.
  return { is: 'ours', identity: `${stats.dev}:${stats.ino}:${stats.birthtimeMs}` }
}
