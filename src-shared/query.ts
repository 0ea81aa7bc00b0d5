// The query line of the audit screen. Its text is the whole state of what is shown: it stands in the address, and everything a
// click adds is a word that could have been typed.
//
//   client:cursor outcome:denied -tool:list_secrets secret:"a name" last:24h from:2026-01-15 to:2026-01-15T18:00 some words

import { OUTCOMES, type AuditFilter, type Outcome } from './audit.ts'

export const QUERY_FIELDS = ['client', 'tool', 'secret', 'outcome', 'event'] as const
export type QueryField = (typeof QUERY_FIELDS)[number]
const TIME_KEYS = ['last', 'from', 'to'] as const
type TimeKey = (typeof TIME_KEYS)[number]
export const QUERY_KEYS: readonly (QueryField | TimeKey)[] = [...QUERY_FIELDS, ...TIME_KEYS]

export type Term =
  | { kind: 'field'; field: QueryField; value: string; not: boolean }
  | { kind: 'time'; key: TimeKey; value: string }
  /** Looked for in client, tool, secret, rule and event; several stand for one text with spaces between. */
  | { kind: 'text'; text: string }

export interface Query {
  terms: Term[]
  /** What is wrong with it, as a sentence; then it cannot be asked. */
  fault: string | null
}

/** A word as it stands in the text: with what was quoted taken out of its quotes. */
export interface Token {
  from: number
  to: number
  /** Null for plain text. */
  key: string | null
  not: boolean
  value: string
}

export function tokens(text: string): Token[] {
  const found: Token[] = []
  const pattern = /(-?)(?:([A-Za-z]+):)?("(?:[^"\\]|\\.)*"?|[^\s"]*)/gy
  for (let at = 0; at < text.length; at++) {
    if (/\s/.test(text.charAt(at))) continue
    pattern.lastIndex = at
    const [whole = '', dash = '', key = null, raw = ''] = pattern.exec(text) ?? []
    // A quote inside a word begins another one.
    const to = at + Math.max(whole.length, 1)
    const value = raw.startsWith('"') ? unquoted(raw) : raw
    // Only a field can be left out; before anything else a dash is a dash.
    if (key === null) found.push({ from: at, to, key, not: false, value: `${dash}${value}` })
    else found.push({ from: at, to, key: key.toLowerCase(), not: dash === '-', value })
    at = to - 1
  }
  return found
}

function unquoted(raw: string): string {
  const inner = raw.length > 1 && /(?:^|[^\\])(?:\\\\)*"$/.test(raw.slice(1)) ? raw.slice(1, -1) : raw.slice(1)
  return inner.replace(/\\(.)/gs, '$1')
}

export function parseQuery(text: string): Query {
  const terms: Term[] = []
  const faults: string[] = []
  for (const { key, not, value, from, to } of tokens(text)) {
    const field = QUERY_FIELDS.find((name) => name === key)
    const time = TIME_KEYS.find((name) => name === key)
    if (field === undefined && time === undefined) {
      // "default: reads" is text with a colon in it, not a field nobody has.
      const plain = key === null ? value : text.slice(from, to)
      if (plain !== '') terms.push({ kind: 'text', text: plain })
      continue
    }
    const fault = faultOf(key ?? '', value, not)
    if (fault !== null) faults.push(fault)
    else if (field !== undefined) terms.push({ kind: 'field', field, value, not })
    else if (time !== undefined) terms.push({ kind: 'time', key: time, value })
  }
  return { terms, fault: faults[0] ?? null }
}

function faultOf(key: string, value: string, not: boolean): string | null {
  if (value === '') return `${key}: needs a value`
  switch (key) {
    case 'outcome':
      return isOutcome(value) ? null : `There is no outcome '${value}'; there are ${OUTCOMES.join(', ')}`
    case 'last':
      if (not) return 'A time cannot be left out'
      return spanMs(value) === null ? `last:${value} is no span of time; write it like last:30m, last:24h or last:7d` : null
    case 'from':
    case 'to':
      if (not) return 'A time cannot be left out'
      return timeOf(value, 'start') === null ? `${key}:${value} is no time; write it like 2026-01-15 or 2026-01-15T18:30` : null
    default:
      return null
  }
}

function isOutcome(value: string): value is Outcome {
  return OUTCOMES.some((outcome) => outcome === value)
}

export function printQuery(terms: readonly Term[]): string {
  return terms.map(printTerm).join(' ')
}

function printTerm(term: Term): string {
  switch (term.kind) {
    case 'field':
      return `${term.not ? '-' : ''}${term.field}:${quoted(term.value)}`
    case 'time':
      return `${term.key}:${quoted(term.value)}`
    case 'text':
      return isPlain(term.text) ? term.text : quote(term.text)
  }
}

/** Whether it reads as the same text without quotes. */
function isPlain(text: string): boolean {
  const [first, ...more] = tokens(text)
  if (first === undefined || more.length > 0 || /[\s"]/.test(text)) return false
  return first.key === null ? first.value === text : !QUERY_KEYS.some((key) => key === first.key)
}

function quoted(value: string): string {
  return /[\s"]/.test(value) || value === '' ? quote(value) : value
}

function quote(value: string): string {
  return `"${value.replace(/["\\]/g, '\\$&')}"`
}

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

/** Milliseconds of "24h". */
function spanMs(text: string): number | null {
  const [, amount, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  if (amount === undefined || unit === undefined || Number(amount) === 0) return null
  return Number(amount) * UNITS[unit as keyof typeof UNITS] // The pattern lets no other letter through.
}

/** A day or a moment of the person's own clock; a day has a start and an end. */
function timeOf(text: string, edge: 'start' | 'end'): number | null {
  const [, date, time] = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(?::\d{2})?)?$/.exec(text) ?? []
  if (date === undefined) return null
  const at = new Date(`${date}${time ?? 'T00:00'}`)
  if (Number.isNaN(at.getTime()) || at.getDate() !== Number(date.slice(8))) return null
  if (time === undefined && edge === 'end') at.setDate(at.getDate() + 1)
  return at.getTime()
}

/** A moment as the query line writes it, to the second. */
export function timeText(wall: number): string {
  const at = new Date(wall)
  const two = (n: number) => String(n).padStart(2, '0')
  const date = `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  const seconds = at.getSeconds() === 0 ? '' : `:${two(at.getSeconds())}`
  return `${date}T${two(at.getHours())}:${two(at.getMinutes())}${seconds}`
}

/** What the host is asked. Values of one field add up, fields narrow each other; so do times. */
export function filterOf(terms: readonly Term[], now: number): AuditFilter {
  const filter: AuditFilter = {}
  const not: NonNullable<AuditFilter['not']> = {}
  const words: string[] = []
  const from: number[] = []
  const to: number[] = []
  for (const term of terms) {
    if (term.kind === 'text') words.push(term.text)
    else if (term.kind === 'time') {
      if (term.key === 'last') from.push(now - (spanMs(term.value) ?? 0))
      if (term.key === 'from') from.push(timeOf(term.value, 'start') ?? now)
      if (term.key === 'to') to.push(timeOf(term.value, 'end') ?? now)
    } else {
      const into = term.not ? not : filter
      if (term.field === 'outcome') {
        if (isOutcome(term.value)) into.outcome = [...(into.outcome ?? []), term.value]
      } else into[term.field] = [...(into[term.field] ?? []), term.value]
    }
  }
  if (Object.keys(not).length > 0) filter.not = not
  if (words.length > 0) filter.text = words.join(' ')
  if (from.length > 0) filter.from = Math.max(...from)
  if (to.length > 0) filter.to = Math.min(...to)
  return filter
}
