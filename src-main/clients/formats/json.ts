import { eolOf, Fault, indentAt, lineEnd, lineStart, positionOf, type Document, type Splice } from './document.ts'
import { parseJson, shapeOf, valueOf, type JsonNode, type Liberties, type Member } from './json-tree.ts'

type ObjectNode = Extract<JsonNode, { kind: 'object' }>

export function openJson(text: string, allowed: Liberties, path: readonly string[], name: string): Document {
  const root = parseJson(text, allowed)
  const eol = eolOf(text)
  const unit = indentUnit(text, root)

  const objectAt = (node: JsonNode): ObjectNode => {
    if (node.kind !== 'object') throw new Fault('a map is expected here, and something else stands', positionOf(text, node.start))
    return node
  }
  const member = (node: ObjectNode, key: string): Member | null => {
    const found = node.members.filter((candidate) => candidate.key === key)
    // Readers take the last, editors the first: whichever we changed, somebody would be surprised.
    if (found[1] !== undefined) throw new Fault(`the key "${key}" stands twice`, positionOf(text, found[1].start))
    return found[0] ?? null
  }

  /** The objects on the path that are there, outermost first, each with the member that leads on. */
  const chain: { object: ObjectNode; next: Member | null }[] = []
  const keys = [...path, name]
  for (let node = root; node !== null && chain.length < keys.length;) {
    const object = objectAt(node)
    const next = member(object, keys[chain.length] ?? '')
    chain.push({ object, next })
    node = next?.value ?? null
  }
  const last = chain.at(-1)
  const ours = chain.length === keys.length ? (last?.next ?? null) : null

  const print = (value: unknown, indent: string): string =>
    JSON.stringify(value, null, unit)
      .split('\n')
      .join(eol + indent)

  /** Our entry with the keys that are missing on the way to it. */
  const wrapped = (entry: unknown, from: number): unknown =>
    keys.slice(from).reduceRight((inner: unknown, key) => ({ [key]: inner }), entry)

  const addTo = (object: ObjectNode, key: string, value: unknown): Splice[] => {
    const outer = indentAt(text, object.start)
    const before = object.members.at(-1)
    if (before === undefined) {
      const inside = text.slice(object.start + 1, object.end - 1)
      const at = object.start + 1 + inside.trimEnd().length
      const indent = outer + unit
      const closing = text.slice(at, object.end - 1).includes('\n') ? '' : eol + outer
      return [{ at, remove: 0, insert: `${eol}${indent}${JSON.stringify(key)}: ${print(value, indent)}${closing}` }]
    }
    const end = before.comma === null ? before.value.end : before.comma + 1
    if (!text.slice(object.start, object.end).includes('\n')) {
      const printed = `${JSON.stringify(key)}: ${JSON.stringify(value)}`
      return [{ at: end, remove: 0, insert: before.comma === null ? `, ${printed}` : ` ${printed},` }]
    }
    const indent = isFirstOnLine(text, before.start) ? indentAt(text, before.start) : outer + unit
    const printed = `${eol}${indent}${JSON.stringify(key)}: ${print(value, indent)}`
    const at = afterRemark(text, end, object.end - 1)
    return before.comma === null
      ? [
          { at: end, remove: 0, insert: ',' },
          { at, remove: 0, insert: printed },
        ]
      : [{ at, remove: 0, insert: `${printed},` }]
  }

  const removeFrom = (object: ObjectNode, gone: Member): Splice[] => {
    const previous = object.members[object.members.indexOf(gone) - 1]
    const ownLine = isFirstOnLine(text, gone.start)
    const isLast = gone === object.members.at(-1)
    if (isLast && gone.comma === null) {
      const from = ownLine ? Math.max(object.start + 1, previousLineEnd(text, gone.start)) : skipBack(text, gone.start)
      const cut = { at: from, remove: gone.value.end - from, insert: '' }
      if (previous?.comma == null) return [cut]
      // The comma before may stand directly before the cut, or inside of it.
      if (previous.comma >= from) return [{ at: previous.comma, remove: gone.value.end - previous.comma, insert: '' }]
      return [{ at: previous.comma, remove: 1, insert: '' }, cut]
    }
    const end = (gone.comma ?? gone.value.end - 1) + 1
    const restIsEmpty = text.slice(end, lineEnd(text, end)).trim() === ''
    if (ownLine && restIsEmpty) {
      const from = Math.max(object.start + 1, previousLineEnd(text, gone.start))
      return [{ at: from, remove: lineEnd(text, end) - from, insert: '' }]
    }
    const spaces = /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0
    return [{ at: gone.start, remove: end + (ownLine ? 0 : spaces) - gone.start, insert: '' }]
  }

  return {
    entry: ours === null ? undefined : valueOf(ours.value),
    rest: root === null ? null : restOf(root, keys),
    missing: root === null ? path.length : path.length - Math.min(path.length, chain.filter(({ next }) => next !== null).length),
    onlyOurs: root === null || restOf(root, keys) === null,

    set(entry) {
      if (root === null || last === undefined) {
        return [{ at: text.length, remove: 0, insert: `${print(wrapped(entry, 0), '')}${text === '' ? eol : ''}` }]
      }
      if (ours === null) return addTo(last.object, keys[chain.length - 1] ?? '', wrapped(entry, chain.length))
      const { start, end } = ours.value
      const oneLine = !text.slice(last.object.start, last.object.end).includes('\n')
      const printed = oneLine ? JSON.stringify(entry) : print(entry, indentAt(text, ours.start))
      return [{ at: start, remove: end - start, insert: printed }]
    },

    remove(ownKeys) {
      if (ours === null) return []
      let level = chain.length - 1
      while (level > 0 && level > chain.length - 1 - ownKeys && chain[level]?.object.members.length === 1) level--
      const at = chain[level]
      return at === undefined || at.next === null ? [] : removeFrom(at.object, at.next)
    },
  }
}

/** The tree without our entry; null where nothing is left. */
function restOf(node: JsonNode, keys: readonly string[]): unknown {
  const [key, ...further] = keys
  if (node.kind !== 'object' || key === undefined) return shapeOf(node)
  const members = node.members.flatMap((member): unknown[] => {
    if (member.key !== key) return [[member.key, shapeOf(member.value)]]
    const rest = further.length === 0 ? null : restOf(member.value, further)
    return rest === null ? [] : [[key, rest]]
  })
  return members.length === 0 ? null : { members }
}

function indentUnit(text: string, root: JsonNode | null): string {
  const first = root?.kind === 'object' ? root.members[0] : undefined
  const indent = first === undefined || !isFirstOnLine(text, first.start) ? '' : indentAt(text, first.start)
  return indent === '' ? '  ' : indent
}

function isFirstOnLine(text: string, offset: number): boolean {
  const start = lineStart(text, offset)
  return start > 0 && text.slice(start, offset).trim() === ''
}

/** The end of the last line before this one that has anything in it keeps what stands there; blank lines between stay too. */
function previousLineEnd(text: string, offset: number): number {
  const end = lineStart(text, offset) - 1
  return text[end - 1] === '\r' ? end - 1 : end
}

function skipBack(text: string, offset: number): number {
  let at = offset
  while (text[at - 1] === ' ' || text[at - 1] === '\t') at--
  return at
}

/** Past a remark on the same line, so that it stays with what it speaks of. */
function afterRemark(text: string, from: number, limit: number): number {
  const rest = text.slice(from, Math.min(limit, lineEnd(text, from)))
  const remark = /^[ \t]*(?:\/\/.*|(?:\/\*(?:[^*]|\*(?!\/))*\*\/[ \t]*)+(?:\/\/.*)?)$/.exec(rest)
  return remark === null ? from : from + rest.trimEnd().length
}
