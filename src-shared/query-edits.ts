// What clicks do to the query line.

import { OUTCOMES, type AuditFacets } from './audit.ts'
import { parseQuery, printQuery, QUERY_FIELDS, QUERY_KEYS, timeText, tokens, type QueryField, type Term } from './query.ts'

export type Choice = 'only' | 'not' | null

/** Whether a value is asked for, left out, or neither. */
export function choiceOf(text: string, field: QueryField, value: string): Choice {
  const term = parseQuery(text).terms.find((other) => isAbout(other, field, value))
  return term?.kind === 'field' ? (term.not ? 'not' : 'only') : null
}

/** The text with this value asked for, left out, or neither. */
export function choose(text: string, field: QueryField, value: string, choice: Choice): string {
  const others = parseQuery(text).terms.filter((term) => !isAbout(term, field, value))
  return printQuery(choice === null ? others : [...others, { kind: 'field', field, value, not: choice === 'not' }])
}

function isAbout(term: Term, field: QueryField, value: string): boolean {
  return term.kind === 'field' && term.field === field && term.value === value
}

/** The text with this time and no other; null for any time. */
export function within(text: string, time: { from: number; to: number } | null): string {
  const others = parseQuery(text).terms.filter(({ kind }) => kind !== 'time')
  if (time === null) return printQuery(others)
  const edge = (key: 'from' | 'to'): Term => ({ kind: 'time', key, value: timeText(time[key]) })
  return printQuery([...others, edge('from'), edge('to')])
}

export interface Suggestion {
  /** What takes the place of the word at the caret. */
  text: string
  /** How many rows have it, where that is known. */
  count: number | null
}

export interface Suggestions {
  from: number
  to: number
  list: Suggestion[]
}

const MOST = 8
const SPANS = ['15m', '1h', '24h', '7d', '30d']

/** What the word at the caret could become. */
export function suggest(text: string, caret: number, facets: AuditFacets | null): Suggestions {
  const token = tokens(text).find(({ from, to }) => from < caret && caret <= to)
  const from = token?.from ?? caret
  const to = token?.to ?? caret
  const typed = text.slice(from, caret)
  const dash = typed.startsWith('-') ? '-' : ''
  const [key, start] = cut(typed.slice(dash.length).toLowerCase())
  const field = QUERY_FIELDS.find((name) => name === key)
  const list =
    start === null
      ? [...keys(key, dash), ...(key === '' ? [] : anyValues(key, dash, facets))]
      : field !== undefined
        ? values(field, start, dash, facets)
        : key === 'last' && dash === ''
          ? SPANS.filter((span) => span.startsWith(start)).map((span) => ({ text: `last:${span}`, count: null }))
          : []
  // What stands there already is no suggestion.
  return { from, to, list: list.filter((one) => one.text !== text.slice(from, to)).slice(0, MOST) }
}

function cut(word: string): [key: string, value: string | null] {
  const at = word.indexOf(':')
  return at < 0 ? [word, null] : [word.slice(0, at), word.slice(at + 1).replace(/^"/, '')]
}

function keys(start: string, dash: string): Suggestion[] {
  const possible = dash === '' ? QUERY_KEYS : QUERY_FIELDS
  return possible.filter((key) => key.startsWith(start)).map((key) => ({ text: `${dash}${key}:`, count: null }))
}

function values(field: QueryField, start: string, dash: string, facets: AuditFacets | null): Suggestion[] {
  const known = facets?.[field] ?? []
  const unseen = field === 'outcome' ? OUTCOMES.filter((outcome) => !known.some(({ value }) => value === outcome)) : []
  const matching = [...known, ...unseen.map((value) => ({ value, count: 0 }))].filter(({ value }) => value.toLowerCase().includes(start))
  return matching
    .toSorted((a, b) => Number(b.value.toLowerCase().startsWith(start)) - Number(a.value.toLowerCase().startsWith(start)))
    .map(({ value, count }) => ({ text: printQuery([{ kind: 'field', field, value, not: dash !== '' }]), count }))
}

/** A word that is no field yet may be the beginning of a value. */
function anyValues(start: string, dash: string, facets: AuditFacets | null): Suggestion[] {
  return QUERY_FIELDS.flatMap((field) => values(field, start, dash, facets).slice(0, 3)).filter(({ count }) => count !== 0)
}
