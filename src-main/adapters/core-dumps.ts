// A crash must not write a value to disk. The limit on core files is up to whoever starts a process, and a crash reporter may ignore
// it, so there are two walls: a reporter finds no memory to save, and the kernel is told to make no core file at all.

import { writeFileSync } from 'node:fs'

export function leaveNoMemoryBehind(): void {
  try {
    writeFileSync('/proc/self/coredump_filter', '0')
  } catch {
    // Not Linux, or no /proc.
  }
}

/**
 * Registers are saved with or without memory, and the wide ones of today's processors hold what was copied last: a whole answer was
 * found in them. Node cannot lower its own limit, so a program does, which takes a moment that no start should wait for.
 */
export async function forbidCoreFiles(): Promise<void> {
  if (process.platform !== 'linux') return
  const { spawn } = await import('node:child_process')
  const child = spawn(PRLIMIT, ['--pid', String(process.pid), `--core=${NO_CORE}`], { stdio: 'ignore', env: {} })
  // Without that program the first wall stands alone.
  child.on('error', () => undefined)
  child.unref()
}

/** By its full path: an AI client's PATH may lead through a folder of whatever it works on. */
const PRLIMIT = '/usr/bin/prlimit'

/** In bytes. None would still let a crash reporter have it: only for one the kernel gives it to nobody. */
const NO_CORE = '1:1'

/** For a shell that starts one of our programs. */
export const NO_CORE_IN_SHELL = `${PRLIMIT} --pid $$ --core=${NO_CORE} 2>/dev/null || ulimit -c 0`
