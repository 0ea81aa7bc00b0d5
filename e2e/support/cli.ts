import { execFile } from 'node:child_process'
import path from 'node:path'
import { dist } from './host.ts'
import { tap } from './tap.ts'

export interface CliResult {
  code: number
  stdout: string
  stderr: string
}

/** Runs the built command line; `stdin` is what is piped into it. */
export function cli(
  home: string,
  args: string[],
  { stdin = '', node = process.execPath, env: more = {} }: { stdin?: string; node?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<CliResult> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...more, COUNTERSIGN_HOME: home }
    const child = execFile(node, [path.join(dist, 'cli.js'), ...args], { env, maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
      tap(`cli-${args[0] ?? ''}-stdout`, stdout)
      tap('cli-stderr', stderr)
      resolve({ code, stdout, stderr })
    })
    child.stdin?.on('error', () => {}) // It may leave without reading.
    child.stdin?.end(stdin)
  })
}
