import type { ReadStream, WriteStream } from 'node:tty'
import type { Readable, Writable } from 'node:stream'
import { showUntrusted } from '../../src-shared/untrusted.ts'
import type { Env } from '../adapters/paths.ts'

export interface Io {
  /** A terminal, or whatever was piped in. */
  stdin: ReadStream | (Readable & { isTTY?: undefined })
  stdout: WriteStream | (Writable & { isTTY?: undefined })
  stderr: Writable
  env: Env
  cwd: string
  programFolder: string
}

const LONGEST_LINE = 2000

/** A sentence for a terminal: one line, and nothing in it that a terminal would obey. */
export function plain(text: string): string {
  return showUntrusted(text, LONGEST_LINE)
}
