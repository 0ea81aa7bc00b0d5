// A parser tells where things stand; the edit itself adds or cuts whole lines of text.

import { isMap, isScalar, isSeq, LineCounter, parseAllDocuments, type Document as Yaml, type Node, type Pair, type YAMLMap } from 'yaml'
import { eolOf, Fault, lineEnd, lineStart, positionOf, type Document, type Splice } from './document.ts'

type Entry = Record<string, unknown>

export function openYaml(text: string, shape: 'map' | 'list', [key = '']: readonly string[], name: string): Document {
  const document = parseYaml(text)
  const eol = eolOf(text)
  const root = document?.contents ?? null
  if (root !== null && !isMap(root) && !isEmpty(root)) throw new Fault('a map is expected here, and something else stands', at(root))
  const pair = isMap(root) ? (root.items.find((item) => keyOf(item) === key) as Pair<Node, Node | null> | undefined) : undefined
  const servers = pair?.value ?? null
  if (servers !== null && !isEmpty(servers) && !(shape === 'map' ? isMap(servers) : isSeq(servers))) {
    throw new Fault(`a ${shape} is expected here, and something else stands`, at(servers))
  }
  const items = isMap(servers) || isSeq(servers) ? servers.items : []
  const isOurs = (item: unknown): boolean =>
    shape === 'map' ? keyOf(item as Pair) === name : isMap(item) && isScalar(item.get('name', true)) && item.get('name') === name
  const found = items.filter(isOurs)
  if (found[1] !== undefined) throw new Fault(`the entry "${name}" stands twice`, at(startOf(found[1])))
  const ours = found[0]

  const plain = document === null ? null : plainOf(document)
  const rest = restOf(plain, key, name)

  function at(node: Node | number | null): { line: number; column: number } {
    return positionOf(text, typeof node === 'number' ? node : (node?.range?.[0] ?? 0))
  }

  const printed = (entry: Entry, indent: string): string =>
    (shape === 'map'
      ? [`${indent}${name}:`, ...lines(entry, `${indent}  `)]
      : lines(entry, `${indent}  `).map((line, index) => (index === 0 ? `${indent}- ${line.trimStart()}` : line))
    )
      .map((line) => line + eol)
      .join('')

  /** The lines of a block item, from the beginning of its first to the beginning of what follows. */
  const span = (item: unknown): { start: number; end: number } => {
    const start = lineStart(text, startOf(item))
    const content = contentEnd(text, endOf(item))
    const end = lineEnd(text, content)
    return { start, end: nextLine(text, end) }
  }

  /** On lines of their own, after `where`, which ends a line or the text. */
  const insertLines = (where: number, block: string): Splice[] => {
    const before = text.slice(0, where)
    return [{ at: where, remove: 0, insert: (before === '' || before.endsWith('\n') ? '' : eol) + block }]
  }

  const requireBlock = (): void => {
    const flow = (isMap(servers) || isSeq(servers)) && servers.flow === true && items.length > 0
    if (flow) throw new Fault('the servers are written in brackets on one line; add the entry by hand', at(servers))
  }

  return {
    entry: ours === undefined ? undefined : valueOf(plain, key, name),
    rest,
    missing: pair === undefined ? 1 : 0,
    onlyOurs: rest === null && !/^\s*#/m.test(text),

    set(entry) {
      requireBlock()
      if (ours !== undefined) {
        const { start, end } = span(ours)
        const indent = /^ */.exec(text.slice(start))?.[0] ?? ''
        return [{ at: start, remove: end - start, insert: printed(entry, indent) }]
      }
      const last = items.at(-1)
      if (last !== undefined) {
        const indent = ' '.repeat(columnOf(text, items[0], shape))
        return insertLines(span(last).end, printed(entry, indent))
      }
      if (pair === undefined) return insertLines(text.length, `${key}:${eol}${printed(entry, '  ')}`)
      // The key is there with nothing, or with empty brackets, behind it.
      const keyEnd = text.indexOf(':', pair.key.range?.[1] ?? 0) + 1
      const valueEnd = servers !== null && isFlow(servers) ? (servers.range?.[1] ?? keyEnd) : keyEnd
      const line = lineEnd(text, valueEnd)
      return [
        ...(valueEnd > keyEnd ? [{ at: keyEnd, remove: valueEnd - keyEnd, insert: '' }] : []),
        ...insertLines(nextLine(text, line), printed(entry, '  ')),
      ]
    },

    remove(ownKeys) {
      if (ours === undefined) return []
      requireBlock()
      const { start, end } = span(ours)
      if (items.length > 1 || pair === undefined) return [{ at: start, remove: end - start, insert: '' }]
      const keyLine = lineStart(text, pair.key.range?.[0] ?? 0)
      if (ownKeys > 0) return [{ at: keyLine, remove: end - keyLine, insert: '' }]
      const colon = text.indexOf(':', pair.key.range?.[1] ?? 0) + 1
      return [
        { at: colon, remove: 0, insert: shape === 'map' ? ' {}' : ' []' },
        { at: start, remove: end - start, insert: '' },
      ]
    },
  }
}

function parseYaml(text: string): Yaml.Parsed | null {
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, { lineCounter: lines, uniqueKeys: true, prettyErrors: false })
  if (!Array.isArray(documents)) return null
  const error = documents.flatMap((document) => document.errors)[0]
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0])
    throw new Fault(error.code === 'DUPLICATE_KEY' ? 'a key stands twice' : 'this is not valid YAML', { line, column: col })
  }
  if (documents.length > 1) throw new Fault('there are several documents in one file')
  return documents[0] ?? null
}

/** An alias without its anchor, or aliases that would grow without end, are found only here. */
function plainOf(document: Yaml.Parsed): unknown {
  try {
    return document.toJS()
  } catch (error) {
    if (error instanceof ReferenceError) throw new Fault('this is not valid YAML: an alias leads nowhere, or too far')
    throw error
  }
}

const isFlow = (node: Node): boolean => (isMap(node) || isSeq(node)) && node.flow === true
const isEmpty = (node: Node): boolean => isScalar(node) && node.value === null
const keyOf = (pair: Pair): unknown => (isScalar(pair.key) ? pair.key.value : undefined)
const nodeOf = (item: unknown): { first: Node; last: Node | null } => {
  const pair = item as Pair<Node, Node | null>
  return 'key' in pair ? { first: pair.key, last: pair.value } : { first: item as YAMLMap, last: item as YAMLMap }
}
const startOf = (item: unknown): number => nodeOf(item).first.range?.[0] ?? 0
const endOf = (item: unknown): number => {
  const { first, last } = nodeOf(item)
  return (last ?? first).range?.[1] ?? first.range?.[1] ?? 0
}

/** Back over empty lines to what was last written. */
function contentEnd(text: string, end: number): number {
  return text.slice(0, end).trimEnd().length
}

function nextLine(text: string, end: number): number {
  const newline = text.indexOf('\n', end)
  return newline === -1 ? text.length : newline + 1
}

/** Of the key, or of the dash before a list's item. */
function columnOf(text: string, item: unknown, shape: 'map' | 'list'): number {
  const start = startOf(item)
  const line = text.slice(lineStart(text, start), start)
  return shape === 'map' ? line.length : Math.max(0, line.lastIndexOf('-'))
}

/** Values as JSON writes them, which YAML reads; maps on lines of their own. */
function lines(entry: Entry, indent: string): string[] {
  return Object.entries(entry).flatMap(([key, value]) => {
    const isFilledMap = typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
    return isFilledMap ? [`${indent}${key}:`, ...lines(value as Entry, `${indent}  `)] : [`${indent}${key}: ${JSON.stringify(value)}`]
  })
}

function valueOf(plain: unknown, key: string, name: string): unknown {
  const servers = (plain as Record<string, unknown> | null)?.[key]
  return Array.isArray(servers)
    ? servers.find((item: unknown) => (item as Entry | null)?.['name'] === name)
    : (servers as Entry | null | undefined)?.[name]
}

function restOf(plain: unknown, key: string, name: string): unknown {
  if (typeof plain !== 'object' || plain === null) return null
  const { [key]: servers, ...others } = plain as Entry
  const left = Array.isArray(servers)
    ? servers.filter((item: unknown) => (item as Entry | null)?.['name'] !== name)
    : Object.fromEntries(Object.entries((servers as Entry | null | undefined) ?? {}).filter(([each]) => each !== name))
  const rest = Object.keys(left).length === 0 ? others : { ...others, [key]: left }
  return Object.keys(rest).length === 0 ? null : rest
}
