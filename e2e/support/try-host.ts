// A start of the host that may come too late.

import { spawn } from 'node:child_process'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { dist } from './host.ts'

export interface Tried {
  /** Null while it runs. */
  code: number | null
  said: { event?: string } | null
  stderr: string
  end: () => Promise<void>
}

/** Starts a host and waits for its first words, or its end. */
export function tryHost(home: string): Promise<Tried> {
  const child = spawn(process.execPath, [path.join(dist, 'headless.js'), '--json', '--port', '0'], {
    env: { ...process.env, COUNTERSIGN_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const end = async () => {
    child.kill('SIGKILL')
    await exited
  }
  onTestFinished(end)
  let stdout = ''
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  return new Promise((resolve) => {
    const tell = (code: number | null) => {
      resolve({ code, said: stdout === '' ? null : (JSON.parse(stdout) as { event: string }), stderr, end })
    }
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      if (stdout.includes('"ready"') && stdout.endsWith('\n')) tell(null)
    })
    child.once('close', tell)
  })
}
