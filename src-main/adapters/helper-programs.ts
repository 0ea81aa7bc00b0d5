// The programs of the system that we call, each by a fixed path. A name alone is looked up in PATH, and an AI client's PATH may lead
// through a folder of whatever it works on.

import { accessSync, constants } from 'node:fs'
import path from 'node:path'

export type HelperProgram = 'lsof' | 'ps' | 'ss'

/** Folders that only root may write; the last is where NixOS keeps all of them. */
const FOLDERS = ['/usr/bin', '/usr/sbin', '/bin', '/sbin', '/run/current-system/sw/bin']

const found = new Map<HelperProgram, string>()

/** Null where the system has no such program. One that is installed while we run is found then. */
export function helperProgram(name: HelperProgram): string | null {
  // Windows has none of them, and on it these paths would lead to whatever drive is the current one.
  if (process.platform === 'win32') return null
  const known = found.get(name) ?? FOLDERS.map((folder) => path.join(folder, name)).find(isExecutable)
  if (known !== undefined) found.set(name, known)
  return known ?? null
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
