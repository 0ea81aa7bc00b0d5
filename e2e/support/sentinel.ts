// Values that can be recognised wherever they end up, and the search for them. A sentinel holds what encodings change (quotes,
// slashes, accents, a pair of surrogates) after a plain run of letters, which survives every escaping of text.

import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const PLAIN = 'S3nt1nelZq7HkX2vB9wM4c'
/** Part of every value that the machines put into a vault. */
const SENTINEL = `${PLAIN}"x/é🔑+ %\\${'k'.repeat(12)}`

/** A value of its own for each label; whoever finds `SENTINEL` has found all of them. */
export const sentinel = (label: string | number): string => `${SENTINEL}-${label}`

/** Where a value was found, and how it was written there. */
export interface Hit {
  needle: string
  form: string
  at: number
}

export interface Finder {
  /** The first hit of each needle in each form. */
  hits: (content: Buffer) => Hit[]
}

export function finderOf(needles: readonly string[]): Finder {
  const searched = needles.flatMap((needle) => distinct(formsOf(needle)).map(([form, bytes]) => ({ needle, form, bytes })))
  return {
    hits: (content) =>
      searched.flatMap(({ needle, form, bytes }) => {
        const at = content.indexOf(bytes)
        return at === -1 ? [] : [{ needle, form, at }]
      }),
  }
}

/** Finds every value made by `sentinel`, whole or cut short. */
export const sentinelFinder = (): Finder => finderOf([PLAIN, SENTINEL])

/** Every way of writing a value that a search should recognise. */
function formsOf(value: string): Map<string, Buffer> {
  const raw = Buffer.from(value)
  const json = JSON.stringify(value).slice(1, -1)
  const url = encodeURIComponent(value)
  const wide = Buffer.from(value, 'utf16le')
  const forms = new Map<string, Buffer>([
    ['raw', raw],
    ['hex', Buffer.from(raw.toString('hex'))],
    ['HEX', Buffer.from(raw.toString('hex').toUpperCase())],
    ['URL', Buffer.from(url)],
    ['URL, lower case', Buffer.from(url.replaceAll(/%../g, (code) => code.toLowerCase()))],
    ['form', Buffer.from(new URLSearchParams({ v: value }).toString().slice(2))],
    ['JSON', Buffer.from(json)],
    ['JSON in JSON', Buffer.from(JSON.stringify(json).slice(1, -1))],
    ['JSON, ASCII', Buffer.from(json.replaceAll(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`))],
    ['CSV', Buffer.from(value.replaceAll('"', '""'))],
    ['UTF-16LE', wide],
    ['UTF-16BE', Buffer.from(wide).swap16()],
    ['reversed', Buffer.from([...value].toReversed().join(''))],
    ['reversed bytes', Buffer.from(raw.toReversed())],
  ])
  for (const offset of [0, 1, 2]) {
    // What stands between the value's first and last whole group of three bytes does not hang on what is around it.
    const skip = (3 - offset) % 3
    const inner = raw.subarray(skip, skip + Math.floor((raw.length - skip) / 3) * 3)
    forms.set(`base64, offset ${offset}`, Buffer.from(inner.toString('base64')))
    forms.set(`base64url, offset ${offset}`, Buffer.from(inner.toString('base64url')))
  }
  return forms
}

/** A plain needle looks the same in many forms. */
function distinct(forms: Map<string, Buffer>): [string, Buffer][] {
  const seen = new Set<string>()
  return [...forms].filter(([, bytes]) => {
    const key = bytes.toString('latin1')
    return !seen.has(key) && seen.add(key)
  })
}

export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
}

/** Whether a crash of this process writes a core file for nobody: the kernel makes none of one byte, and none of none. */
export function writesNoCore(pid: number): boolean {
  return /^Max core file size +([01]) +\1 /m.test(readFileSync(`/proc/${pid}/limits`, 'utf8'))
}
