// The program that AI clients start, as the packaged app writes it into their files. That path has to outlast updates, and the app
// itself where it is only mounted while it runs.

import { chmodSync, copyFileSync, mkdirSync, renameSync, statSync, utimesSync, rmSync } from 'node:fs'
import path from 'node:path'
import { executableIn, executableName } from '../adapters/packaged.ts'

export interface Installed {
  resources: string
  /** Our own folder, where a copy is kept. */
  folder: string
  platform: NodeJS.Platform
  /** The file of an AppImage, whose content is somewhere else each time. */
  appImage: string | undefined
}

/** Its path. Makes the copy, or makes it anew after an update. */
export function bridgeProgram({ resources, folder, platform, appImage }: Installed): string {
  const inside = executableIn(resources)
  // Updates replace the app in its place, and with it the executable; on Windows they could not while a bridge runs. macOS runs an app
  // that nobody has moved out of its download yet from a folder made for this one time.
  const isPassing = appImage !== undefined || platform === 'win32' || inside.includes('/AppTranslocation/')
  if (isPassing) return keepCopy(inside, path.join(folder, 'bin', executableName))
  return inside
}

function keepCopy(from: string, to: string): string {
  const { size, mtime } = statSync(from)
  const there = statSync(to, { throwIfNoEntry: false })
  if (there?.size === size && Math.floor(there.mtimeMs / 1000) === Math.floor(mtime.getTime() / 1000)) return to
  mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 })
  const draft = `${to}.new`
  rmSync(draft, { force: true })
  copyFileSync(from, draft)
  chmodSync(draft, 0o700)
  utimesSync(draft, mtime, mtime)
  moveAside(to)
  renameSync(draft, to)
  return to
}

/** A program that runs cannot be replaced on Windows, but it can be renamed; the old one goes with the next update. */
function moveAside(program: string): void {
  if (process.platform !== 'win32') return
  const old = `${program}.old`
  try {
    rmSync(old, { force: true })
    renameSync(program, old)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
