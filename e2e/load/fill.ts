// A log with a past, in a folder whose host is not running.

import { spawn } from 'node:child_process'
import path from 'node:path'
import { DAYS } from '../../bench/questions.ts'

const FILL = path.join(import.meta.dirname, '..', '..', 'scripts', 'fill-audit.ts')

/** Adds so many made-up calls. Tells what one cost in microseconds, among the first and the last tenth. */
export async function fill(home: string, rows: number): Promise<{ first: number; last: number }> {
  const child = spawn(process.execPath, [FILL, String(rows), String(DAYS)], {
    env: { ...process.env, COUNTERSIGN_HOME: home },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const seen: { done: number; at: number }[] = []
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-500)
    const done = Number(/(\d+) of \d+\s*$/.exec(text)?.[1])
    if (done > 0) seen.push({ done, at: performance.now() })
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`the log was not filled: ${said}`)
  const cost = (from: number, to: number): number => {
    const part = seen.filter(({ done }) => done >= rows * from && done <= rows * to)
    const [a, b] = [part[0], part.at(-1)]
    if (a === undefined || b === undefined || a === b) throw new Error('there are too few entries to see what one costs')
    return ((b.at - a.at) * 1000) / (b.done - a.done)
  }
  return { first: cost(0, 0.1), last: cost(0.9, 1) }
}
