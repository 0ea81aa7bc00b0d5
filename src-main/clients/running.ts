import { execFile } from 'node:child_process'
import path from 'node:path'

/** The names of the programs that run now; null where we cannot tell. */
export function runningPrograms(): Promise<ReadonlySet<string> | null> {
  if (process.platform === 'win32') return Promise.resolve(null)
  return new Promise((resolve) => {
    execFile('ps', ['-A', '-o', 'comm='], { timeout: 2000, maxBuffer: 4 << 20 }, (error, stdout) => {
      resolve(error === null ? new Set(stdout.split('\n').map((line) => path.basename(line.trim()))) : null)
    })
  })
}
