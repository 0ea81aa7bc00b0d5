// What can be fuzzed: something that takes any bytes, reacts, and must keep its promises whatever they are.

import type { AtEnd } from '../support/host.ts'

export interface Opened {
  /** Gives it one input. Throws BrokenPromise when it did what it must not; otherwise says in short how it reacted. */
  take: (input: Buffer) => Promise<string> | string
  /** What can only be seen at the end: memory, and values in files. */
  inspect?: () => Promise<void> | void
}

export interface Target {
  name: string
  /** Pieces that mean something to it; they are put in where random bytes would not hit. */
  words: readonly string[]
  /** How many inputs it gets in the normal test run. */
  fewRuns: number
  /** Its code runs in this process, so that what an input reached can be seen. */
  inside: boolean
  open: (atEnd: AtEnd) => Promise<Opened> | Opened
}

class BrokenPromise extends Error {
  override name = 'BrokenPromise'
}

export function promise(holds: boolean, what: string): asserts holds {
  if (!holds) throw new BrokenPromise(what)
}

/** Work that must be done at once: counted in time of this thread, whatever else the machine is doing. */
export function atOnce<T>(what: string, work: () => T): T {
  const before = process.threadCpuUsage()
  const result = work()
  const { user, system } = process.threadCpuUsage(before)
  promise(user + system < 1_000_000, `${what} at once, not after ${Math.round((user + system) / 1000)} ms`)
  return result
}

/** Rejects when it takes longer than anything may. */
export async function inTime<T>(what: string, work: Promise<T>, limitMs = 15_000): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new BrokenPromise(`${what} did not happen within ${limitMs} ms`)), limitMs)
  })
  try {
    return await Promise.race([work, tooLate])
  } finally {
    clearTimeout(timer)
  }
}

/** The same for all reactions that differ only in what was sent: numbers, quoted parts and lengths go. */
export const shapeOf = (text: string): string =>
  text
    .replaceAll(/"[^"]{0,200}"|'[^']{0,200}'/g, (quoted) => (/^"[a-z_A-Z]{1,20}"$/.test(quoted) ? quoted : '…'))
    .replaceAll(/\d+/g, '0')
    .slice(0, 160)
