// What our programs say, kept for the sweep that looks for values in it. Does nothing unless TAP names a folder.

import { appendFileSync } from 'node:fs'
import path from 'node:path'

const folder = process.env['TAP']

/** `where` says who spoke and about what: it decides whether a value may be in it. */
export function tap(where: string, text: string): void {
  if (folder !== undefined) appendFileSync(path.join(folder, where.replaceAll(/[^\w.-]/g, '_')), `${text}\n`)
}
