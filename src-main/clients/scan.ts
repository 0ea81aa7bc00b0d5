// Credentials that stand in plain text in the clients' files: which server, which variable, never the value.

import type { PlaintextFinding } from '../../src-shared/registration.ts'
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import { readConfig } from './config-file.ts'
import { ENTRY_NAME, type ClientFacts } from './facts.ts'
import { parseJson, valueOf } from './formats/json-tree.ts'
import { decode } from './formats/open.ts'

type Found = Pick<PlaintextFinding, 'server' | 'variable' | 'where'>

/** Null when the file cannot be read; its trouble is told elsewhere. */
export function scanFile(facts: ClientFacts, file: string): PlaintextFinding[] | null {
  let root: unknown
  try {
    const { bytes } = readConfig(file)
    if (bytes === null) return []
    root = parseLeniently(facts, decode(bytes).text)
  } catch {
    return null
  }
  const servers = facts.path.reduce<unknown>((node, key) => (isRecord(node) ? node[key] : undefined), root)
  return serversOf(servers).flatMap(([server, entry]) =>
    findings(server, entry).map((found) => ({ client: facts.id, clientName: facts.name, path: file, ...found })),
  )
}

/** A look harms nothing, so comments and commas that the client itself may not read are read here. */
function parseLeniently({ format }: ClientFacts, text: string): unknown {
  switch (format.kind) {
    case 'json': {
      const node = parseJson(text, { comments: true, trailingCommas: true })
      return node === null ? null : valueOf(node)
    }
    case 'toml':
      return parseToml(text, { integersAsBigInt: true })
    case 'yaml':
      return parseYaml(text)
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

function serversOf(servers: unknown): [string, Record<string, unknown>][] {
  const pairs: [string, unknown][] = Array.isArray(servers)
    ? servers.map((entry: unknown) => [isRecord(entry) && typeof entry['name'] === 'string' ? entry['name'] : '(unnamed)', entry])
    : Object.entries(isRecord(servers) ? servers : {})
  return pairs.filter((pair): pair is [string, Record<string, unknown>] => pair[0] !== ENTRY_NAME && isRecord(pair[1]))
}

const ENVIRONMENTS = ['env', 'environment', 'envs']
const HEADERS = ['headers', 'http_headers', 'requestOptions']
const ADDRESSES = ['url', 'serverUrl', 'httpUrl', 'uri']

function findings(server: string, entry: Record<string, unknown>): Found[] {
  const transport = isRecord(entry['transport']) ? findings(server, entry['transport']) : []
  const inMap = (keys: string[], where: Found['where']) =>
    keys.flatMap((key) =>
      Object.entries(isRecord(entry[key]) ? entry[key] : {})
        .filter(([name, value]) => typeof value === 'string' && isCredential(name, value))
        .map(([variable]): Found => ({ server, variable, where })),
    )
  return [
    ...inMap(ENVIRONMENTS, 'environment'),
    ...inMap(HEADERS, 'header'),
    ...inArguments(server, entry),
    ...inAddress(server, entry),
    ...transport,
  ]
}

function inArguments(server: string, entry: Record<string, unknown>): Found[] {
  const args = [entry['command'], entry['args']].flat().filter((word): word is string => typeof word === 'string')
  return args.flatMap((word, index): Found[] => {
    const [, option, value] = /^--?([\w.-]+)=(.*)$/s.exec(word) ?? []
    if (option !== undefined && value !== undefined)
      return isCredential(option, value) ? [{ server, variable: `--${option}`, where: 'argument' }] : []
    const before = args[index - 1] ?? ''
    if (/^--?[\w.-]+$/.test(before) && !word.startsWith('-') && isCredential(before, word))
      return [{ server, variable: before, where: 'argument' }]
    return looksLikeToken(word) ? [{ server, variable: `argument ${index}`, where: 'argument' }] : []
  })
}

function inAddress(server: string, entry: Record<string, unknown>): Found[] {
  return ADDRESSES.flatMap((key): Found[] => {
    const address = entry[key]
    if (typeof address !== 'string' || !URL.canParse(address)) return []
    const url = new URL(address)
    const queries = [...url.searchParams]
      .filter(([name, value]) => isCredential(name, value))
      .map(([variable]): Found => ({ server, variable, where: 'address' }))
    return url.password === '' ? queries : [{ server, variable: 'password', where: 'address' }, ...queries]
  })
}

const TELLING = new Set(
  'token tokens secret secrets password passwd pwd pass key keys apikey pat credential credentials auth authorization bearer cookie dsn'.split(
    ' ',
  ),
)
const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
const CONNECTION = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]+:[^/\s@]+@/i

/** Told by its name, or by its looks; a reference to where it really stands is none. */
function isCredential(name: string, value: string): boolean {
  if (value.length < 6 || isReference(value)) return false
  if (/^(true|false|\d{1,5}|\/[\w./-]+)$/i.test(value)) return false
  return wordsOf(name).some((word) => TELLING.has(word)) || looksLikeToken(value) || CONNECTION.test(value)
}

const isReference = (value: string): boolean => /^(?:Bearer |Basic |token )?\s*(?:\$\{[^}]+\}|\$\w+|%\w+%|\{env:[^}]+\})$/i.test(value)

const PREFIXES =
  /^(?:Bearer |Basic |token )?(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{15,}|sk-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|ya29\.[\w-]+|npm_\w{30,}|eyJ[\w-]+\.[\w-]+\.[\w-]+|(?:sk|pk|rk)_(?:live|test)_\w{16,}|lin_api_\w{20,}|ntn_\w{20,}|secret_\w{30,}|hf_\w{20,}|figd_[\w-]{20,})/

const looksLikeToken = (value: string): boolean => PREFIXES.test(value)
