// The lock that a client's own writer takes, so that it waits for us and we for it.

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, rmdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Fault } from './formats/document.ts'
import { perl } from './perl.ts'

/**
 * `proper-lockfile` as its users know it: a folder beside the file, renewed every few seconds, stale after ten.
 * `flock`: the kernel's lock on this file in the folder of the configuration.
 */
export type ClientLock = 'proper-lockfile' | { flock: string }

const STALE_MS = 10_000
const PATIENCE_MS = 5000
const LOOK_EVERY_MS = 50

/** `file` is where the client looks, `real` where links lead from there. */
export async function withClientLock<T>(
  lock: ClientLock | undefined,
  { file, real }: { file: string; real: string },
  work: () => T,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  if (lock === undefined) return work()
  const release =
    lock === 'proper-lockfile'
      ? await takeFolder(`${real}.lock`, patienceMs)
      : await takeKernel(path.join(path.dirname(file), lock.flock), patienceMs)
  try {
    return work()
  } finally {
    release()
  }
}

const held = () => new Fault('the client itself has it locked')

async function takeFolder(lock: string, patienceMs: number): Promise<() => void> {
  const deadline = performance.now() + patienceMs
  while (!makeFolder(lock)) {
    if (performance.now() > deadline) throw held()
    await wait(LOOK_EVERY_MS)
  }
  return () => removeFolder(lock)
}

function makeFolder(lock: string): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const stats = statSync(lock, { throwIfNoEntry: false })
    if (stats !== undefined && Date.now() - stats.mtimeMs > STALE_MS) removeFolder(lock)
    return false
  }
}

function removeFolder(lock: string): void {
  try {
    rmdirSync(lock)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

// Holds the lock until its standard input ends, so that it goes with us, however we go.
const HOLDER = `
use strict; use Fcntl ':flock'; $| = 1;
open(my $lock, '<', $ARGV[0]) or exit 4;
$SIG{ALRM} = sub { exit 3 }; alarm($ARGV[1]);
flock($lock, LOCK_EX) or exit 3;
alarm(0); print "held\\n"; <STDIN>;
`
const HELD_ELSEWHERE = 3

/** A lock file that is not there is not made: Copilot notes the inode of its own, and takes no other. */
async function takeKernel(lock: string, patienceMs: number): Promise<() => void> {
  const program = perl()
  if (program === null || !existsSync(lock)) return () => {}
  const holder = spawn(program, ['-e', HOLDER, '--', lock, String(Math.ceil(patienceMs / 1000))], {
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const isHeld = await new Promise<boolean>((resolve, reject) => {
    holder.stdout.once('data', () => resolve(true))
    holder.once('exit', (code) => (code === HELD_ELSEWHERE ? reject(held()) : resolve(false)))
    holder.once('error', () => resolve(false))
  })
  return () => void (isHeld && holder.stdin.end())
}
