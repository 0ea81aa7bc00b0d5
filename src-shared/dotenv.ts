// Reads a `.env` text: comments, `export`, three kinds of quotes, values over several lines, any line ends. It is read as a whole or
// not at all: a file that was cut off must not come in by half. Nothing is expanded: `$OTHER` stays as it is written.

export interface DotenvEntry {
  key: string
  value: string
  /** Where it begins, counted from 1. */
  line: number
}

/** Names the line and what is wrong with it, never what stands there: that may be a value. */
export interface DotenvFault {
  line: number
  message: string
}

export type Dotenv = { ok: true; entries: DotenvEntry[] } | { ok: false; faults: DotenvFault[] }

/** More than these help nobody to find what is wrong. */
const MOST_FAULTS = 20

const KEY = /[A-Za-z_][A-Za-z0-9_.-]*/y
const EXPORT = /export[ \t]+/y
const BLANK = /[ \t\f\v\u00a0]*/y
const LINE = /[^\n]*/y
const ESCAPES: Partial<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', $: '$' }

/** The last of several entries with one key counts, as in every program that reads such files. */
export function parseDotenv(source: string): Dotenv {
  const text = source.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')
  const entries = new Map<string, DotenvEntry>()
  const faults: DotenvFault[] = []
  const reader = new LineReader(text)
  while (!reader.atEnd() && faults.length < MOST_FAULTS) {
    const { line } = reader
    try {
      const entry = readEntry(reader)
      if (entry === null) continue
      entries.delete(entry.key)
      entries.set(entry.key, { ...entry, line })
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      faults.push({ line: error.line, message: error.message })
      reader.skipLine()
    }
  }
  return faults.length > 0 ? { ok: false, faults } : { ok: true, entries: [...entries.values()] }
}

class Fault extends Error {
  readonly line: number
  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

/** A place in the text that knows its line. */
class LineReader {
  line = 1
  #at = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  atEnd(): boolean {
    return this.#at >= this.#text.length
  }

  peek(): string {
    return this.#text[this.#at] ?? ''
  }

  /** Takes what the sticky pattern matches here, which may be nothing. */
  take(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    return this.#move(pattern.exec(this.#text)?.[0] ?? '')
  }

  takeChar(): string {
    return this.#move(this.peek())
  }

  skipLine(): void {
    this.take(LINE)
    this.takeChar()
  }

  #move(taken: string): string {
    this.#at += taken.length
    for (const char of taken) if (char === '\n') this.line++
    return taken
  }
}

function readEntry(reader: LineReader): Omit<DotenvEntry, 'line'> | null {
  reader.take(BLANK)
  if (reader.peek() === '#' || reader.peek() === '\n' || reader.atEnd()) {
    reader.skipLine()
    return null
  }
  reader.take(EXPORT)
  const key = reader.take(KEY)
  if (key === '') throw new Fault(reader.line, 'a name must start with a letter or _')
  reader.take(BLANK)
  if (reader.peek() === '\n' || reader.atEnd()) throw new Fault(reader.line, 'there is no = after the name')
  if (reader.peek() !== '=') throw new Fault(reader.line, 'a name has only letters, digits and _ . - and is followed by =')
  reader.takeChar()
  reader.take(BLANK)
  return { key, value: readValue(reader) }
}

function readValue(reader: LineReader): string {
  switch (reader.peek()) {
    case '"':
    case "'":
    case '`':
      return readQuoted(reader)
    default:
      return readPlain(reader)
  }
}

/** To the end of the line, or to a # after a space: one inside a word belongs to the value. */
function readPlain(reader: LineReader): string {
  const [before] = reader.take(LINE).split(/(?:^|[ \t])#/)
  reader.takeChar()
  return (before ?? '').trim()
}

function readQuoted(reader: LineReader): string {
  const opened = reader.line
  const quote = reader.takeChar()
  let value = ''
  while (reader.peek() !== quote) {
    if (reader.atEnd()) throw new Fault(opened, `the ${quote} that opens here is never closed`)
    const char = reader.takeChar()
    value += quote === '"' && char === '\\' ? readEscape(reader) : char
  }
  reader.takeChar()
  const after = reader.line
  reader.take(BLANK)
  if (reader.peek() !== '\n' && reader.peek() !== '#' && !reader.atEnd()) throw new Fault(after, `there is more after the closing ${quote}`)
  reader.skipLine()
  return value
}

/** A backslash before anything else is a backslash. */
function readEscape(reader: LineReader): string {
  const escape = ESCAPES[reader.peek()]
  if (escape === undefined) return '\\'
  reader.takeChar()
  return escape
}
