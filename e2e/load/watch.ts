// A process seen from outside, as the system sees it.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Sample } from './probe.ts'

const PROBE = path.join(import.meta.dirname, 'probe.ts')

/** In megabytes: what it has now, and the most it ever had. */
export function memoryOf(pid: number): { now: number; most: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const mb = (name: string) => (Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024) / 1e6
  return { now: mb('VmRSS'), most: mb('VmHWM') }
}

export const filesOpenIn = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

/** The environment of a process that shall be probed. */
export const probed = (folder: string, collectEverySeconds = 0, nodeOptions: readonly string[] = []): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: [`--import=${PROBE}`, ...nodeOptions].join(' '),
  LOAD_PROBE: folder,
  LOAD_PROBE_COLLECT: String(collectEverySeconds),
})

export function samplesOf(folder: string, pid: number): Sample[] {
  const file = path.join(folder, `${pid}.jsonl`)
  if (!existsSync(file)) throw new Error(`the probe in ${pid} wrote nothing`)
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Sample)
}
