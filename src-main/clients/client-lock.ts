// The lock that a client's own writer takes, so that it waits for us and we for it.

import { mkdirSync, rmdirSync, statSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { Fault } from './formats/document.ts'

const STALE_MS = 10_000
const PATIENCE_MS = 5000
const LOOK_EVERY_MS = 50

/** `proper-lockfile` as its users know it: a folder beside the file, renewed every few seconds, stale after ten. */
export async function withClientLock<T>(kind: 'proper-lockfile' | undefined, real: string, work: () => T): Promise<T> {
  if (kind === undefined) return work()
  const lock = `${real}.lock`
  const deadline = performance.now() + PATIENCE_MS
  while (!take(lock)) {
    if (performance.now() > deadline) throw new Fault('the client itself has it locked')
    await wait(LOOK_EVERY_MS)
  }
  try {
    return work()
  } finally {
    release(lock)
  }
}

function take(lock: string): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const stats = statSync(lock, { throwIfNoEntry: false })
    if (stats !== undefined && Date.now() - stats.mtimeMs > STALE_MS) release(lock)
    return false
  }
}

function release(lock: string): void {
  try {
    rmdirSync(lock)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
