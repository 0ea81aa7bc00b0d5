// Hosts that a bridge or the command line has started: they stand on their own feet, so a test has to find them to end them.

import { readFileSync, readdirSync } from 'node:fs'
import { expect } from 'vitest'

/** Found as a person would: by what runs and in which environment. */
export function hostsOf(variable: 'HOME' | 'COUNTERSIGN_HOME', home: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        return command.includes('headless.js') && readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`${variable}=${home}`)
      } catch {
        return false // It has ended meanwhile, or is not ours to look at.
      }
    })
    .map(Number)
}

export async function endHostsOf(variable: 'HOME' | 'COUNTERSIGN_HOME', home: string): Promise<void> {
  for (const pid of hostsOf(variable, home)) process.kill(pid, 'SIGTERM')
  await expect.poll(() => hostsOf(variable, home), { timeout: 10_000 }).toEqual([])
}
