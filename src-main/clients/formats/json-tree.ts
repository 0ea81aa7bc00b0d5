// Reads JSON with the liberties a client allows (comments, trailing commas), and remembers where everything stands. Written here
// because the usual tolerant parsers mend what is broken and go on; we must stop instead, and edit without touching the rest.

import { Fault, positionOf } from './document.ts'

export type JsonNode =
  | { kind: 'object'; start: number; end: number; members: Member[] }
  | { kind: 'array'; start: number; end: number; items: JsonNode[] }
  | { kind: 'scalar'; start: number; end: number; raw: string }

export interface Member {
  key: string
  start: number
  value: JsonNode
  /** Where the comma after it stands. */
  comma: number | null
}

export interface Liberties {
  comments: boolean
  trailingCommas: boolean
}

const DEEPEST = 200
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /[A-Za-z_$][\w$]*/y

/** Null for a file with nothing in it. Throws a Fault with line and column for anything that is not right. */
export function parseJson(text: string, allowed: Liberties): JsonNode | null {
  let at = 0

  const fail = (message: string, offset = at): never => {
    throw new Fault(message, positionOf(text, offset))
  }

  const skip = (): void => {
    for (;;) {
      while (text[at] === ' ' || text[at] === '\t' || text[at] === '\n' || text[at] === '\r') at++
      if (text[at] !== '/' || (text[at + 1] !== '/' && text[at + 1] !== '*')) return
      if (!allowed.comments) fail('there is a comment, which this client does not read')
      const line = text[at + 1] === '/'
      const end = line ? text.indexOf('\n', at) : text.indexOf('*/', at + 2)
      if (end === -1 && !line) fail('a comment has no end')
      at = end === -1 ? text.length : line ? end : end + 2
    }
  }

  const match = (pattern: RegExp): string | null => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found === null) return null
    at += found[0].length
    return found[0]
  }

  /** By hand: a pattern would run out of stack on a string of megabytes. */
  const string = (): string => {
    if (text[at] !== '"') fail(at >= text.length ? 'the file ends too early' : 'a key in quotes is missing')
    let end = at + 1
    while (text[end] !== '"') {
      if (end >= text.length) fail('a string has no end')
      end += text[end] === '\\' ? 2 : 1
    }
    const raw = text.slice(at, end + 1)
    try {
      JSON.parse(raw)
    } catch {
      fail('a string is not well formed')
    }
    at = end + 1
    return raw
  }

  const scalar = (): JsonNode => {
    const start = at
    const raw = text[at] === '"' ? string() : (match(NUMBER) ?? match(WORD))
    if (raw === null) return fail(at >= text.length ? 'the file ends too early' : 'a value is missing', start)
    if (/^[A-Za-z_$]/.test(raw) && !['true', 'false', 'null'].includes(raw)) fail('there is a word that is no value', start)
    return { kind: 'scalar', start, end: at, raw }
  }

  /** What follows a member or an item: a comma, or the end. Returns the comma's place. */
  const separator = (close: string): number | null => {
    skip()
    if (text[at] === close) return null
    if (text[at] !== ',') fail(at >= text.length ? 'the file ends too early' : `a comma or ${close} is missing`)
    const comma = at++
    skip()
    if (text[at] === close && !allowed.trailingCommas) fail('there is a comma before the end, which this client does not read', comma)
    return comma
  }

  const value = (depth: number): JsonNode => {
    if (depth > DEEPEST) fail('it is nested too deeply')
    const start = at
    if (text[at] === '{') {
      const members: Member[] = []
      at++
      skip()
      while (text[at] !== '}') {
        const keyAt = at
        const key = JSON.parse(string()) as string // `string` lets only well-formed ones through.
        skip()
        if (text[at] !== ':') fail('a colon is missing')
        at++
        skip()
        const member: Member = { key, start: keyAt, value: value(depth + 1), comma: null }
        members.push(member)
        member.comma = separator('}')
      }
      at++
      return { kind: 'object', start, end: at, members }
    }
    if (text[at] === '[') {
      const items: JsonNode[] = []
      at++
      skip()
      while (text[at] !== ']') {
        items.push(value(depth + 1))
        separator(']')
      }
      at++
      return { kind: 'array', start, end: at, items }
    }
    return scalar()
  }

  if (text.trim() === '') return null
  skip()
  const root = value(0)
  skip()
  if (at < text.length) fail('something stands after the end')
  return root
}

/** As a plain value; of a key that stands twice the last counts, as for every reader. */
export function valueOf(node: JsonNode): unknown {
  switch (node.kind) {
    case 'object':
      return Object.fromEntries(node.members.map(({ key, value }) => [key, valueOf(value)]))
    case 'array':
      return node.items.map(valueOf)
    case 'scalar':
      return JSON.parse(node.raw) as unknown
  }
}

/** In a form that tells apart whatever any reader could: order, doubled keys, and the exact spelling of numbers. */
export function shapeOf(node: JsonNode): unknown {
  switch (node.kind) {
    case 'object':
      return { members: node.members.map(({ key, value }) => [key, shapeOf(value)]) }
    case 'array':
      return node.items.map(shapeOf)
    case 'scalar':
      return node.raw
  }
}
