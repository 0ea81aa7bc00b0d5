// The file that opens a sealed vault while nobody is there. Whoever can read it can open the vault, and whoever can write it chooses
// the passphrase of a new one, so it has to be ours alone.

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { FolderRefused, privateFileFault } from '../link/trust.ts'

const NOT_USED = 'COUNTERSIGN_PASSPHRASE_FILE is not used:'

/** Null where none is named; throws a sentence where it cannot be trusted. One trailing newline belongs to the file alone. */
export function readPassphraseFile(file: string | undefined): string | null {
  if (file === undefined || file === '') return null
  const descriptor = open(file)
  try {
    // Asked of what was opened: a link counts for as much as the file it leads to.
    const fault = privateFileFault(file, fstatSync(descriptor))
    if (fault !== null) throw new FolderRefused(`${NOT_USED} ${fault}${nextStep(file, fault)}`)
    return readFileSync(descriptor, 'utf8').replace(/\r?\n$/, '')
  } finally {
    closeSync(descriptor)
  }
}

function open(file: string): number {
  try {
    // A pipe that nobody writes to would be waited for. Windows has no such flag.
    return openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? `there is no file '${file}'. Make it, or unset the variable.` : `'${file}' cannot be read (${code}).`
    throw new FolderRefused(`${NOT_USED} ${why}`, { cause: error })
  }
}

function nextStep(file: string, fault: string): string {
  return fault.endsWith('is open to other users.') ? ` Close it to them: chmod 600 '${file}'` : ''
}
