// What was typed, as one of the things we can do.

import { parseArgs, type ParseArgsConfig } from 'node:util'
import { OUTCOMES, type AuditFilter, type Outcome } from '../../src-shared/audit.ts'
import { MOST_TOKEN_DAYS } from '../../src-shared/client.ts'
import { DEFAULT_POLICY } from '../../src-shared/policy.ts'
import type { ClientsCommand } from './clients.ts'
import { EXIT, Stop } from './exit.ts'
import type { TokensCommand } from './tokens.ts'

export type Command =
  | { is: 'start' }
  | { is: 'help' }
  | { is: 'version' }
  | { is: 'status' }
  | { is: 'doctor'; full: boolean }
  | { is: 'list'; scope: string | null }
  | { is: 'get'; name: string }
  | { is: 'store'; name: string; force: boolean }
  | { is: 'remove'; name: string }
  | { is: 'policy test'; scope: string; name: string }
  | { is: 'audit show'; filter: AuditFilter; limit: number }
  | { is: 'audit export'; filter: AuditFilter; file: string; format: 'jsonl' | 'csv' }
  | { is: 'audit verify' }
  | { is: 'backup export'; file: string }
  | { is: 'backup import'; file: string; withKeys: boolean }
  | ClientsCommand
  | TokensCommand

const usage = (message: string) => new Stop(EXIT.usage, `${message} See: countersign help`)

const text = { type: 'string' } as const
const texts = { type: 'string', multiple: true } as const
const flag = { type: 'boolean' } as const
const EVERYWHERE = { json: flag, help: { type: 'boolean', short: 'h' }, version: flag } as const
const FILTERS = { client: texts, tool: texts, secret: texts, outcome: texts, last: text, text } as const

/** Throws a Stop with the number for wrong usage. `now` is the wall clock, for `--last`. */
export function parseCommand(argv: string[], now: number): Command {
  const plain = argv.filter((word) => word !== '--json')
  if (plain.includes('--help') || plain.includes('-h') || plain[0] === 'help') return { is: 'help' }
  if (plain[0] === '--version') return { is: 'version' }
  const [first = '', second = ''] = plain
  const isGroup = GROUPS.includes(first)
  const words = isGroup ? `${first} ${second}` : first
  const rest = argv.filter((word, index) => index !== argv.indexOf(first) && !(isGroup && index === argv.indexOf(second)))
  return read(words, rest, now)
}

const GROUPS = ['policy', 'audit', 'backup', 'clients']

function read(words: string, rest: string[], now: number): Command {
  switch (words) {
    case '':
      parse(rest, {}, [])
      return { is: 'start' }
    case 'status':
      parse(rest, {}, [])
      return { is: 'status' }
    case 'doctor':
      return { is: 'doctor', full: parse(rest, { full: flag }, []).values.full ?? false }
    case 'list':
      return { is: 'list', scope: parse(rest, { scope: text }, []).values.scope ?? null }
    case 'get':
      return { is: 'get', name: parse(rest, {}, ['NAME']).at(0) }
    case 'store':
      return readStore(rest)
    case 'remove':
      return { is: 'remove', name: parse(rest, {}, ['NAME']).at(0) }
    case 'policy test': {
      const { at } = parse(rest, {}, ['SCOPE', 'NAME'])
      return { is: 'policy test', scope: at(0), name: at(1) }
    }
    case 'audit show': {
      const { values } = parse(rest, { ...FILTERS, limit: text }, [])
      return { is: 'audit show', filter: readFilter(values, now), limit: readLimit(values.limit) }
    }
    case 'audit export': {
      const { values, at } = parse(rest, { ...FILTERS, format: text }, ['FILE'])
      return { is: 'audit export', filter: readFilter(values, now), file: at(0), format: readFormat(values.format, at(0)) }
    }
    case 'audit verify':
      parse(rest, {}, [])
      return { is: 'audit verify' }
    case 'backup export':
      return { is: words, file: parse(rest, {}, ['FILE']).at(0) }
    case 'backup import': {
      const { values, at } = parse(rest, { 'with-keys': flag }, ['FILE'])
      return { is: words, file: at(0), withKeys: values['with-keys'] ?? false }
    }
    case 'clients list':
    case 'clients scan':
      parse(rest, {}, [])
      return { is: words }
    case 'clients add': {
      const { values, at } = parse(rest, { policy: text, 'dry-run': flag }, ['CLIENT'])
      return { is: words, client: at(0), policy: values.policy ?? DEFAULT_POLICY.name, dryRun: values['dry-run'] ?? false }
    }
    case 'clients remove': {
      const { values, at } = parse(rest, { 'dry-run': flag, all: flag }, rest.includes('--all') ? [] : ['CLIENT'])
      const dryRun = values['dry-run'] ?? false
      return values.all ? { is: 'clients remove all', dryRun } : { is: words, client: at(0), dryRun }
    }
    case 'clients repair': {
      const { values, at } = parse(rest, { 'dry-run': flag }, ['CLIENT'])
      return { is: words, client: at(0), dryRun: values['dry-run'] ?? false }
    }
    case 'clients token':
      return readToken(rest)
    default:
      throw usage(words.startsWith('-') ? 'There is no such option.' : `There is no command '${words.trim()}'.`)
  }
}

function readToken(rest: string[]): Command {
  const act = rest.find((word) => !word.startsWith('-'))
  const more = rest.toSpliced(rest.indexOf(act ?? ''), 1)
  switch (act) {
    case 'list':
      parse(more, {}, [])
      return { is: 'clients token list' }
    case 'add': {
      const { values, at } = parse(more, { name: text, policy: text, days: text }, ['CLIENT'])
      const days = readDays(values.days) ?? null
      return { is: 'clients token add', client: at(0), title: values.name ?? null, policy: values.policy ?? DEFAULT_POLICY.name, days }
    }
    case 'rotate': {
      const { values, at } = parse(more, { days: text }, ['CLIENT'])
      return { is: 'clients token rotate', client: at(0), days: readDays(values.days) }
    }
    case 'revoke':
      return { is: 'clients token revoke', client: parse(more, {}, ['CLIENT']).at(0) }
    default:
      throw usage('What about the tokens? list, add, rotate or revoke.')
  }
}

/** Null: without an end. */
function readDays(word: string | undefined): number | null | undefined {
  if (word === undefined) return undefined
  if (word === 'none') return null
  const days = /^\d{1,4}$/.test(word) ? Number(word) : 0
  if (days < 1 || days > MOST_TOKEN_DAYS) throw usage(`--days takes a number from 1 to ${MOST_TOKEN_DAYS}, or none.`)
  return days
}

function readStore(rest: string[]): Command {
  const { values, positionals } = parseLoosely(rest, { force: flag }, false)
  const [name, ...more] = positionals
  if (name === undefined) throw usage('Name the secret: countersign store NAME.')
  // Neither repeated nor used: whatever stands there, other programs could already read it.
  if (more.length > 0) {
    throw usage('A value is never an argument: every program on this computer can read those. Pipe it in: countersign store NAME < file.')
  }
  return { is: 'store', name, force: values.force ?? false }
}

function parse<O extends NonNullable<ParseArgsConfig['options']>>(rest: string[], options: O, names: string[]) {
  const { values, positionals } = parseLoosely(rest, options, true)
  if (positionals.length !== names.length) {
    throw usage(names.length === 0 ? 'This command takes no further words.' : `This command takes ${names.join(' and ')}.`)
  }
  return { values, at: (index: number) => positionals[index] ?? '' }
}

function parseLoosely<O extends NonNullable<ParseArgsConfig['options']>>(rest: string[], options: O, mayQuote: boolean) {
  try {
    return parseArgs({ args: rest, options: { ...EVERYWHERE, ...options }, allowPositionals: true, strict: true })
  } catch (error) {
    // Node's message quotes what was typed, which may be a value.
    throw usage(mayQuote && error instanceof Error ? `${error.message.split('. ')[0]}.` : 'This command does not know one of its options.')
  }
}

type FilterValues = { [K in keyof typeof FILTERS]?: (typeof FILTERS)[K] extends { multiple: true } ? string[] : string }

function readFilter(values: FilterValues, now: number): AuditFilter {
  const { client, tool, secret, outcome, last, text: free } = values
  return {
    ...(client && { client }),
    ...(tool && { tool }),
    ...(secret && { secret }),
    ...(outcome && { outcome: outcome.map(readOutcome) }),
    ...(last !== undefined && { from: now - readSpan(last) }),
    ...(free !== undefined && { text: free }),
  }
}

function readOutcome(word: string): Outcome {
  const known = OUTCOMES.find((outcome) => outcome === word)
  if (known === undefined) throw usage(`An outcome is one of ${OUTCOMES.join(', ')}.`)
  return known
}

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

function readSpan(span: string): number {
  const [, count, unit] = /^(\d{1,6})([smhdw])$/.exec(span) ?? []
  if (count === undefined || unit === undefined) throw usage('--last takes a number and a unit: 30m, 24h, 7d.')
  return Number(count) * (UNITS[unit] ?? 0)
}

const DEFAULT_LIMIT = 50
const MOST_ROWS = 100_000

function readLimit(limit: string | undefined): number {
  if (limit === undefined) return DEFAULT_LIMIT
  const count = /^\d{1,6}$/.test(limit) ? Number(limit) : 0
  if (count < 1 || count > MOST_ROWS) throw usage(`--limit takes a number from 1 to ${MOST_ROWS}.`)
  return count
}

function readFormat(format: string | undefined, file: string): 'jsonl' | 'csv' {
  if (format === 'jsonl' || format === 'csv') return format
  if (format !== undefined) throw usage('--format is jsonl or csv.')
  return file.toLowerCase().endsWith('.csv') ? 'csv' : 'jsonl'
}
