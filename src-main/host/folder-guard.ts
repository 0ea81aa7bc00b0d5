// Whether our folder and the files we hold open are still what their paths lead to. Databases of a folder that was moved or deleted
// take writes as if nothing had happened, and all of it is gone at the next start: so nothing is written then, and no file made anew.

import { closeSync, lstatSync, openSync } from 'node:fs'
import path from 'node:path'

export interface FolderGuard {
  /** A file that is open from now on; returns what ends the watch over it. */
  watch: (file: string) => () => void
  /** What is not in its place, completing "… was not made: <reason>". Null while everything is. */
  trouble: () => string | null
  close: () => void
}

const windows = process.platform === 'win32'

export function guardFolder(folder: string): FolderGuard {
  // Open, so that its number is given to no other folder. Windows cannot open folders, and moves none in which files are open.
  const held = windows ? null : openSync(folder, 'r')
  const own = identityOf(folder)
  const files = new Map<string, string | null>()
  let open = true

  return {
    watch(file) {
      files.set(file, identityOf(file))
      return () => void files.delete(file)
    },
    trouble() {
      if (identityOf(folder) !== own) return 'the folder of its data was moved or deleted while Countersign was running'
      for (const [file, identity] of files) {
        if (identityOf(file) !== identity) return `${path.basename(file)} was moved or deleted while Countersign was running`
      }
      return null
    },
    close() {
      if (open && held !== null) closeSync(held)
      open = false
    },
  }
}

/** Null where there is nothing, or nothing that we may look at. */
function identityOf(file: string): string | null {
  try {
    const { dev, ino } = lstatSync(file, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return null
  }
}
