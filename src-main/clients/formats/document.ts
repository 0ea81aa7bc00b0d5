// What every format can do: read a file whole or say where it breaks, and change our entry by cutting into the text as little as
// possible. Nothing is ever printed anew from a parsed value but our own entry.

export interface Splice {
  at: number
  remove: number
  insert: string
}

/** A file we must not write to, and where in it the reason stands. The sentence quotes nothing of the file. */
export class Fault extends Error {
  override name = 'Fault'
  readonly line: number | null
  readonly column: number | null
  constructor(message: string, at: { line: number; column: number } | null = null) {
    super(message)
    this.line = at?.line ?? null
    this.column = at?.column ?? null
  }
}

export interface Document {
  /** Our entry as it stands; undefined when there is none. */
  entry: unknown
  /** Everything but our entry, in a form that can be compared. A map on our path that holds nothing else counts as absent. */
  rest: unknown
  /** How many keys on our path are not there yet. */
  missing: number
  /** Puts our entry in, or in place of the one that is there. */
  set: (entry: Record<string, unknown>) => Splice[]
  /** Takes our entry out; with it as many keys on the path, from the inside, as were ours and now hold nothing. */
  remove: (ownKeys: number) => Splice[]
  /** Whether nothing but our entry, and what leads to it, stands in the file. */
  onlyOurs: boolean
}

export function applySplices(text: string, splices: readonly Splice[]): string {
  let result = ''
  let at = 0
  for (const splice of splices) {
    result += text.slice(at, splice.at) + splice.insert
    at = splice.at + splice.remove
  }
  return result + text.slice(at)
}

/** Both from 1, as editors count. */
export function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return { line, column: offset - before.lastIndexOf('\n') }
}

export const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

export const lineStart = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1

/** The end of the line, before its end mark. */
export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  if (end === -1) return text.length
  return end > offset && text[end - 1] === '\r' ? end - 1 : end
}

/** The white space a line begins with. */
export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset), lineEnd(text, offset)))?.[0] ?? ''
}
