// Inputs that are tried in every run: those we began with, and every one that ever broke something.

import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const folder = path.join(import.meta.dirname, 'corpus')

export function corpusOf(target: string): { name: string; input: Buffer }[] {
  return readdirSync(path.join(folder, target))
    .toSorted()
    .map((name) => ({ name, input: readFileSync(path.join(folder, target, name)) }))
}

/** Where it was put. */
export function keep(target: string, input: Buffer): string {
  const name = `found-${createHash('sha256').update(input).digest('hex').slice(0, 12)}`
  mkdirSync(path.join(folder, target), { recursive: true })
  writeFileSync(path.join(folder, target, name), input)
  return path.join('e2e', 'fuzz', 'corpus', target, name)
}
