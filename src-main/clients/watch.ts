// Tells when a file may have changed: at once where the system says so, and every few seconds because it does not always.

import { realpathSync, statSync, watch as watchFolder, type FSWatcher } from 'node:fs'
import path from 'node:path'
import type { Clock } from '../host/ports.ts'

const POLL_MS = 3000
/** Writers often take several steps. */
const DEBOUNCE_MS = 300

export interface Watch {
  /** From now on these, and no others. */
  follow: (files: readonly string[]) => void
  close: () => void
}

export function watchFiles(clock: Clock, changed: (file: string) => void): Watch {
  const watchers = new Map<string, FSWatcher>()
  const seen = new Map<string, string>()
  const due = new Map<string, () => void>()
  let followed: readonly string[] = []
  let closed = false

  const soon = (file: string): void => {
    if (closed || due.has(file)) return
    const cancel = clock.after(DEBOUNCE_MS, () => {
      due.delete(file)
      seen.set(file, stampOf(file))
      changed(file)
    })
    due.set(file, cancel)
  }
  const look = (): void => {
    for (const file of followed) if (seen.get(file) !== stampOf(file)) soon(file)
  }
  const listen = (): void => {
    const folders = new Set(followed.flatMap((file) => [path.dirname(file), realFolder(file)]).filter((folder) => folder !== null))
    for (const [folder, watcher] of watchers) {
      if (folders.has(folder)) continue
      watcher.close()
      watchers.delete(folder)
    }
    for (const folder of folders) {
      if (watchers.has(folder)) continue
      try {
        const watcher = watchFolder(folder, { persistent: false }, look)
        watcher.on('error', () => {
          watcher.close()
          watchers.delete(folder)
        })
        watchers.set(folder, watcher)
      } catch {
        // Gone, or out of watches: the slow look still finds every change.
      }
    }
  }
  let stopPoll = () => {}
  const poll = (): void => {
    stopPoll = clock.after(POLL_MS, () => {
      listen()
      look()
      poll()
    })
  }
  poll()

  return {
    follow(files) {
      followed = files
      for (const file of files) if (!seen.has(file)) seen.set(file, stampOf(file))
      for (const file of seen.keys()) if (!files.includes(file)) seen.delete(file)
      listen()
    },
    close() {
      closed = true
      stopPoll()
      for (const cancel of due.values()) cancel()
      for (const watcher of watchers.values()) watcher.close()
    },
  }
}

function stampOf(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true })
  return stats === undefined ? 'absent' : `${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`
}

function realFolder(file: string): string | null {
  try {
    return path.dirname(realpathSync(file))
  } catch {
    return null // It does not exist now; the folder it would be in is watched.
  }
}
