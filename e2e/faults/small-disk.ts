// A disk of a few megabytes, to be filled and made read-only without harm to anybody. Mounting it takes root.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'

export interface SmallDisk {
  home: string
  /** Until not a byte more goes onto it, or that many; returns what gives the space back. */
  fill: (left?: number) => () => void
  remount: (mode: 'ro' | 'rw') => void
}

/** Null where this user may not mount anything. */
export function smallDisk(): SmallDisk | null {
  const disk = mkdtempSync(path.join(tmpdir(), 'countersign-small-'))
  const mount = (...args: string[]) => execFileSync('mount', args, { stdio: ['ignore', 'ignore', 'ignore'] })
  try {
    mount('-t', 'tmpfs', '-o', 'size=8m,mode=0700', 'countersign-test', disk)
  } catch {
    rmSync(disk, { recursive: true })
    return null
  }
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', disk])
    rmSync(disk, { recursive: true, force: true })
  })
  const home = path.join(disk, 'home')
  mkdirSync(home, { mode: 0o700 })
  const ballast = path.join(disk, 'ballast')
  return {
    home,
    fill(left = 0) {
      for (let size = 1 << 20; size >= 512;) {
        try {
          writeFileSync(ballast, Buffer.alloc(size), { flag: 'a' })
        } catch {
          size >>= 1
        }
      }
      truncateSync(ballast, statSync(ballast).size - left)
      return () => rmSync(ballast)
    },
    remount: (mode) => void mount('-o', `remount,${mode}`, disk),
  }
}

export const NO_MOUNT = 'this user may not mount a small disk (that takes root with CAP_SYS_ADMIN), so a full one could not be tried'
