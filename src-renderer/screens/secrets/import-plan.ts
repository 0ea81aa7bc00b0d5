// From a `.env` to secrets: what each entry would be called, and which of them can come in.

import type { DotenvEntry } from '../../../src-shared/dotenv.ts'
import { newNameFault, utf8Bytes, valueFault } from '../../../src-shared/names.ts'

export const MOST_ENTRIES = 500
export const MOST_BYTES = 1024 * 1024

export interface Planned {
  key: string
  line: number
  name: string
  value: string
  /** Why it stays out, as the end of a sentence; null when it can come in. */
  fault: string | null
}

/** A name of ours from a name of theirs: a prefix before it, and no _ at its beginning, where ours have none. */
export function nameFor(prefix: string, key: string): string {
  const name = `${prefix}${key}`
  return prefix === '' ? name.replace(/^[_.-]+/, '') : name
}

export function plan(entries: readonly DotenvEntry[], prefix: string): Planned[] {
  const taken = new Map<string, number>()
  return entries.map(({ key, value, line }) => {
    const name = nameFor(prefix, key)
    const twin = taken.get(name)
    taken.set(name, twin ?? line)
    return { key, line, name, value, fault: faultOf(name, value, twin) }
  })
}

function faultOf(name: string, value: string, twin: number | undefined): string | null {
  const wrongName = newNameFault(name)
  if (wrongName !== null) return `its name ${wrongName}`
  if (twin !== undefined) return `line ${twin} has the same name`
  if (value === '') return 'it is empty'
  const wrongValue = valueFault(value)
  return wrongValue === null ? null : `its value ${wrongValue}`
}

/** Pieces that each fit into one message. */
export function inPieces<T>(entries: readonly T[], mostBytes = MOST_BYTES / 2): T[][] {
  const pieces: T[][] = []
  let room = 0
  for (const entry of entries) {
    const size = utf8Bytes(JSON.stringify(entry)) + 1
    if (size > room) {
      pieces.push([])
      room = mostBytes
    }
    pieces.at(-1)?.push(entry)
    room -= size
  }
  return pieces
}
