// What was seen under each fault: the words the AI client got, how long they took, and what was there afterwards. Kept for the
// report on reliability; the tests judge, this only writes down.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import path from 'node:path'
import { reliability, writeFigures } from '../support/report.ts'

export interface Observed {
  fault: string
  /** Word by word, in the order of the calls. */
  clientSaw: string[]
  tookMs: number
  /** What SECURITY allows, where it does. */
  limitMs?: number
  /** What shows that nothing was lost. */
  kept: string
  [figure: string]: unknown
}

const folder = path.join(reliability, 'faults')

/** With how busy the machine was, since times are told. One file per fault, so that tests side by side do not write over each other; then all of them in one. */
export function observed(seen: Observed): void {
  mkdirSync(folder, { recursive: true })
  const file = `${seen.fault.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.json`
  writeFileSync(path.join(folder, file), JSON.stringify({ ...seen, tookMs: Math.round(seen.tookMs), load: loadavg()[0] }))
  const faults = readdirSync(folder)
    .toSorted()
    .map((name) => read(path.join(folder, name)))
  writeFigures('faults', { faults: faults.filter((fault) => fault !== null) })
}

/** Null for one that another test is writing at this moment; it writes the summary again when it has. */
function read(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

export async function timed<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const began = performance.now()
  const result = await work()
  return { result, ms: performance.now() - began }
}

/** The number of times a long test is repeated: few in the normal run, as many as promised in `npm run faults`. */
export const times = (few: number, promised: number): number => (process.env['FAULTS'] === 'all' ? promised : few)
