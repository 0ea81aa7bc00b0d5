// What a command has to say, in both tongues.

import { showUntrusted } from '../../src-shared/untrusted.ts'
import { EXIT, type Exit, type Stop } from './exit.ts'
import { plain, type Io } from './io.ts'

export type Output = {
  /** One object or array, for `--json`. */
  json: unknown
  exit?: Exit
  /** A remark for the person, on stderr. */
  note?: string | null
} & (
  | { lines: string[] }
  /** `foot` ends the table, and stands alone where there are no rows. */
  | { head: string[]; rows: string[][]; foot?: string | null }
  /** Bytes that must go out exactly as they are. */
  | { raw: string }
)

const WIDEST_CELL = 64

export function print(io: Io, output: Output, asJson: boolean): Exit {
  if (output.note) io.stderr.write(`${output.note}\n`)
  if (asJson) io.stdout.write(`${JSON.stringify(output.json)}\n`)
  else if ('raw' in output) io.stdout.write(io.stdout.isTTY ? `${output.raw}\n` : output.raw)
  else if ('rows' in output) io.stdout.write(table(output.head, output.rows) + (output.foot ? `${output.foot}\n` : ''))
  else io.stdout.write(output.lines.map((line) => `${laidOut(line)}\n`).join(''))
  return output.exit ?? EXIT.ok
}

/** How far a line is set in, be it one of a file with a sign before it, hides nothing and is kept. */
function laidOut(line: string): string {
  const [start = ''] = /^[+-]?[ \t]*/.exec(line) ?? []
  return start + plain(line.slice(start.length))
}

/** With `--json` a failure is an object on stdout too, so that a program need look at one place only. */
export function printStop(io: Io, { message, exit }: Stop, asJson: boolean): Exit {
  if (asJson) io.stdout.write(`${JSON.stringify({ error: message, exit })}\n`)
  else io.stderr.write(`Error: ${plain(message)}\n`)
  return exit
}

/** Columns as wide as what they hold, two spaces apart; nothing at all where there are no rows. */
function table(head: string[], rows: string[][]): string {
  if (rows.length === 0) return ''
  const shown = [head, ...rows.map((row) => row.map((cell) => showUntrusted(cell, WIDEST_CELL)))]
  const widths = head.map((_, column) => shown.reduce((widest, row) => Math.max(widest, width(row[column] ?? '')), 0))
  const line = (row: string[]) => row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - width(cell))).join('  ')
  return shown.map((row) => `${line(row).trimEnd()}\n`).join('')
}

function width(cell: string): number {
  return [...cell].length
}
