import { execFile } from 'node:child_process'
import path from 'node:path'
import { helperProgram } from '../adapters/helper-programs.ts'

type Programs = ReadonlySet<string> | null

const FRESH_MS = 1000
let latest: { at: number; programs: Promise<Programs> } | null = null

/** The names of the programs that run now, or a moment ago; null where we cannot tell. */
export function runningPrograms(): Promise<Programs> {
  if (latest === null || performance.now() - latest.at > FRESH_MS) latest = { at: performance.now(), programs: look() }
  return latest.programs
}

function look(): Promise<Programs> {
  const ps = helperProgram('ps')
  if (ps === null) return Promise.resolve(null)
  return new Promise((resolve) => {
    execFile(ps, ['-A', '-o', 'comm='], { timeout: 2000, maxBuffer: 4 << 20, env: {} }, (error, stdout) => {
      resolve(error === null ? new Set(stdout.split('\n').map((line) => path.basename(line.trim()))) : null)
    })
  })
}
