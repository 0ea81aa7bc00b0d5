import { isUtf8 } from 'node:buffer'
import { isDeepStrictEqual } from 'node:util'
import { ENTRY_NAME, type ClientFacts } from '../facts.ts'
import { applySplices, Fault, type Document, type Splice } from './document.ts'
import { openJson } from './json.ts'
import { openToml } from './toml.ts'
import { openYaml } from './yaml.ts'

export type FileFacts = Pick<ClientFacts, 'format' | 'path'>

/** The bytes of a file as text, and what goes back before it. */
export interface Text {
  bom: boolean
  text: string
}

const BOM = Buffer.of(0xef, 0xbb, 0xbf)

export function decode(bytes: Buffer): Text {
  const bom = bytes.subarray(0, 3).equals(BOM)
  const content = bom ? bytes.subarray(3) : bytes
  if (!isUtf8(content)) throw new Fault('the file is not UTF-8 text', { line: badLine(content), column: 1 })
  return { bom, text: content.toString('utf8') }
}

export const encode = ({ bom, text }: Text): Buffer => Buffer.concat([bom ? BOM : Buffer.alloc(0), Buffer.from(text, 'utf8')])

function badLine(bytes: Buffer): number {
  let line = 1
  for (let at = 0; at < bytes.length; line++) {
    const newline = bytes.indexOf(0x0a, at)
    const end = newline === -1 ? bytes.length : newline + 1
    if (!isUtf8(bytes.subarray(at, end))) break
    at = end
  }
  return line
}

/** Throws a Fault for a file that its client would not read, or that two readers would read differently. */
export function openDocument(text: string, { format, path }: FileFacts): Document {
  switch (format.kind) {
    case 'json':
      return openJson(text, format, path, ENTRY_NAME)
    case 'toml':
      return openToml(text, path, ENTRY_NAME)
    case 'yaml':
      return openYaml(text, format.shape, path, ENTRY_NAME)
  }
}

export interface Change {
  splices: Splice[]
  after: string
}

/** Our entry put in. The result is read again: it must say what we want, and everything else what it said before. */
export function withEntry(text: string, document: Document, facts: FileFacts, entry: Record<string, unknown>): Change {
  if (isDeepStrictEqual(document.entry, entry)) return { splices: [], after: text }
  return checked(text, document, facts, document.set(entry), entry)
}

export function withoutEntry(text: string, document: Document, facts: FileFacts, ownKeys: number): Change {
  if (document.entry === undefined) return { splices: [], after: text }
  return checked(text, document, facts, document.remove(ownKeys), undefined)
}

function checked(text: string, document: Document, facts: FileFacts, splices: Splice[], entry: unknown): Change {
  const after = applySplices(text, splices)
  const unsure = () => new Fault('the entry cannot be changed here without touching something else')
  let again: Document
  try {
    again = openDocument(after, facts)
  } catch (error) {
    if (error instanceof Fault) throw unsure()
    throw error
  }
  if (!isDeepStrictEqual(again.rest, document.rest) || !isDeepStrictEqual(again.entry, entry)) throw unsure()
  return { splices, after }
}
