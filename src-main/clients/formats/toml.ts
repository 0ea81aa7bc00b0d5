// A parser vouches for the whole before and after; the edit itself cuts out or appends whole tables, so that comments and the order
// of everything else stay.

import { parse, TomlError } from 'smol-toml'
import { eolOf, Fault, lineEnd, type Document, type Splice } from './document.ts'

type Table = Record<string, unknown>

export function openToml(text: string, path: readonly string[], name: string): Document {
  const root = parseToml(text)
  const eol = eolOf(text)
  const keys = [...path, name]
  const parent = path.reduce<unknown>((node, key) => (isTable(node) ? node[key] : undefined), root)
  const entry = isTable(parent) ? parent[name] : undefined
  const blocks = entry === undefined ? [] : blocksOf(text, keys)

  const requireBlocks = (): void => {
    if (blocks.length === 0) throw new Fault(`the table ${keys.join('.')} is not written under a heading of its own`)
  }

  return {
    entry: plainNumbers(entry),
    rest: without(root, keys),
    missing: 0,
    onlyOurs: text.slice(blocks[0]?.start ?? 0, blocks.at(-1)?.end ?? 0).trim() === text.trim(),

    set(value) {
      const printed = print(keys, value, eol)
      if (entry === undefined) {
        const gap = text === '' ? '' : text.endsWith('\n') ? eol : eol + eol
        return [{ at: text.length, remove: 0, insert: gap + printed }]
      }
      requireBlocks()
      return blocks.map(({ start, end }, index) => ({
        at: start,
        remove: end - start,
        insert: index === 0 ? printed.slice(0, text[end - 1] === '\n' ? undefined : -eol.length) : '',
      }))
    },

    remove() {
      if (entry === undefined) return []
      requireBlocks()
      return blocks.map(({ start, end }): Splice => {
        // The empty line we put between the table before and ours.
        const gap = end === text.length && text.slice(0, start).endsWith(eol + eol) ? eol.length : 0
        const from = start - gap
        return { at: from, remove: end - from, insert: '' }
      })
    },
  }
}

function parseToml(text: string): Table {
  try {
    return parse(text, { integersAsBigInt: true })
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // Its message quotes the file, which may hold other people's tokens.
    throw new Fault('this is not valid TOML', { line: error.line, column: error.column })
  }
}

const isTable = (value: unknown): value is Table => typeof value === 'object' && value !== null && !Array.isArray(value)

function without(table: Table, [key = '', ...further]: readonly string[]): Table {
  const inner = table[key]
  const { [key]: _, ...others } = table
  if (further.length === 0 || !isTable(inner)) return further.length === 0 ? others : { ...table }
  const rest = without(inner, further)
  return Object.keys(rest).length === 0 ? others : { ...others, [key]: rest }
}

function plainNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(plainNumbers)
  return isTable(value) && Object.getPrototypeOf(value) !== Date.prototype && !(value instanceof Date)
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainNumbers(inner)]))
    : value
}

function print(keys: readonly string[], table: Table, eol: string): string {
  const own = Object.entries(table).filter(([, value]) => !isTable(value))
  const inner = Object.entries(table).filter((pair): pair is [string, Table] => isTable(pair[1]))
  const lines = [`[${keys.map(printKey).join('.')}]`, ...own.map(([key, value]) => `${printKey(key)} = ${printValue(value)}`)]
  const tables = inner.map(([key, value]) => eol + print([...keys, key], value, eol))
  return lines.map((line) => line + eol).join('') + tables.join('')
}

const printKey = (key: string): string => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))

/** Strings as TOML writes basic ones: JSON's form, but for DEL, which JSON leaves as it is. */
function printValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printValue).join(', ')}]`
  return JSON.stringify(value).replaceAll('\u007f', String.raw`\u007f`)
}

interface Block {
  start: number
  end: number
}

/** The tables with our heading and those below it. A table ends where the next heading, or the remarks above that, begin. */
function blocksOf(text: string, keys: readonly string[]): Block[] {
  const headings = headingsOf(text)
  return headings.flatMap(({ start, path }, index): Block[] => {
    if (path === null || !keys.every((key, at) => path[at] === key)) return []
    const next = headings[index + 1]
    if (next === undefined) return [{ start, end: text.length }]
    const lines = text.slice(start, next.start).split('\n')
    let end = next.start
    // The last part is what stands on the heading's own line, before it.
    for (let line = lines.length - 2; line > 0 && /^\s*(#.*)?$/.test(lines[line] ?? ''); line--) end -= (lines[line] ?? '').length + 1
    const nextIsOurs = next.path !== null && keys.every((key, at) => next.path?.[at] === key)
    return [{ start, end: nextIsOurs ? next.start : end }]
  })
}

/** Where headings stand, and what they name; null for lists of tables and names we cannot read. */
function headingsOf(text: string): { start: number; path: string[] | null }[] {
  const headings: { start: number; path: string[] | null }[] = []
  let depth = 0
  let open: string | null = null
  for (let at = 0; at < text.length;) {
    if (open !== null) {
      const end = text.indexOf(open, at)
      // Up to two more quotes may belong to the string.
      at = end === -1 ? text.length : end + open.length
      while (text[at] === open[0] && open.length === 3) at++
      open = null
      continue
    }
    const char = text[at] ?? ''
    const triple = text.slice(at, at + 3)
    if (triple === '"""' || triple === "'''") {
      open = triple
      at += 3
      if (triple === '"""') at = skipEscaped(text, at)
      continue
    }
    if (char === '"' || char === "'") at = endOfString(text, at)
    else if (char === '#') at = lineEnd(text, at)
    else if (char === '[' && depth === 0 && text.slice(text.lastIndexOf('\n', at - 1) + 1, at).trim() === '') {
      const line = text.slice(at, lineEnd(text, at))
      headings.push({ start: at, path: readHeading(line) })
      at += line.length
    } else {
      if (char === '[' || char === '{') depth++
      if (char === ']' || char === '}') depth--
      at++
    }
  }
  return headings
}

/** To the closing quotes of a long string, past every escape. */
function skipEscaped(text: string, from: number): number {
  let at = from
  while (at < text.length && text.slice(at, at + 3) !== '"""') at += text[at] === '\\' ? 2 : 1
  return at
}

function endOfString(text: string, from: number): number {
  const quote = text[from]
  let at = from + 1
  while (at < text.length && text[at] !== quote) at += text[at] === '\\' && quote === '"' ? 2 : 1
  return at + 1
}

const PART = /\s*(?:([\w-]+)|"((?:[^"\\])*)"|'([^']*)')\s*(\.|\])/y

function readHeading(line: string): string[] | null {
  if (line.startsWith('[[')) return null
  const path: string[] = []
  PART.lastIndex = 1
  for (;;) {
    const found = PART.exec(line)
    if (found === null) return null
    path.push(found[1] ?? found[2] ?? found[3] ?? '')
    if (found[4] === ']') return path
  }
}
