// The configuration of an AI client, in each of the formats: our entry goes in and out again, or the file is refused with a place.
// Either way everything else in it stays, and says to other readers what it said before.

import { isDeepStrictEqual } from 'node:util'
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import { ENTRY_NAME } from '../../../src-main/clients/facts.ts'
import { applySplices, Fault } from '../../../src-main/clients/formats/document.ts'
import { decode, encode, openDocument, withEntry, withoutEntry, type FileFacts } from '../../../src-main/clients/formats/open.ts'
import { promise, type Target } from '../target.ts'

const ENTRY = { command: '/opt/node', args: ['mcp', '--client', 'x y'] }

interface Kind {
  facts: FileFacts
  /** A reader of others, where there is one for this format. */
  read: ((text: string) => unknown) | null
}

const json = (comments: boolean): Kind => ({
  facts: { format: { kind: 'json', comments, trailingCommas: comments }, path: ['mcpServers'] },
  read: comments ? null : (text) => (text.trim() === '' ? {} : JSON.parse(text)),
})
const yaml = (shape: 'map' | 'list'): Kind => ({
  facts: { format: { kind: 'yaml', shape }, path: ['mcpServers'] },
  read: (text) => parseYaml(text, { logLevel: 'silent' }) ?? {},
})

const KINDS: Record<string, Kind[]> = {
  json: [json(false), json(true)],
  toml: [{ facts: { format: { kind: 'toml' }, path: ['mcp_servers'] }, read: (text) => parseToml(text, { integersAsBigInt: true }) }],
  yaml: [yaml('map'), yaml('list')],
}

type Tree = Record<string, unknown>

/** What another reader sees, but for our entry and what leads to it alone. */
function others(kind: Kind, text: string): unknown {
  const root = kind.read?.(text)
  if (typeof root !== 'object' || root === null) return root
  const [key = ''] = kind.facts.path
  const { [key]: servers, ...rest } = root as Tree
  if (Array.isArray(servers)) {
    const left = servers.filter((server) => (server as Tree | null)?.['name'] !== ENTRY_NAME)
    return left.length === 0 ? rest : { ...rest, [key]: left }
  }
  if (typeof servers !== 'object' || servers === null) return servers == null ? rest : root
  const left = Object.fromEntries(Object.entries(servers).filter(([name]) => name !== ENTRY_NAME))
  return Object.keys(left).length === 0 ? rest : { ...rest, [key]: left }
}

function tryOne(kind: Kind, input: Buffer): string {
  const { facts } = kind
  let text: string
  let added: string
  try {
    const decoded = decode(input)
    promise(encode(decoded).equals(input), 'bytes that are text come back as they were')
    text = decoded.text
    const document = openDocument(text, facts)
    const change = withEntry(text, document, facts, ENTRY)
    added = change.after
    promise(applySplices(text, change.splices) === added, 'the change that is shown is the one that is made')
    const removed = withoutEntry(added, openDocument(added, facts), facts, document.missing).after
    promise(isDeepStrictEqual(openDocument(removed, facts).rest, document.rest), 'without our entry all is as before')
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    promise(error.line === null || error.line >= 1, 'a fault has its line')
    return `${facts.format.kind} ${error.message.slice(0, 50)}`
  }
  if (kind.read !== null) {
    promise(
      isDeepStrictEqual(others(kind, added), others(kind, text)),
      `to other readers of ${facts.format.kind} everything else says what it said`,
    )
  }
  return `${facts.format.kind} edited ${text.includes('\r') ? 'crlf' : 'lf'} ${Math.min(5, text.split('\n').length)}`
}

export const configFiles: Target = {
  name: 'config-files',
  words: [
    '{',
    '}',
    '[',
    ']',
    '"',
    ':',
    ',',
    '//',
    '/*',
    '*/',
    '\n',
    '\r\n',
    '  ',
    '\t',
    '#',
    '- ',
    '= ',
    '[mcp_servers]',
    '[mcp_servers.',
    "'''",
    '"""',
    '"mcpServers"',
    'mcpServers:',
    'mcp_servers',
    ENTRY_NAME,
    `"${ENTRY_NAME}": {}`,
    '&a ',
    '*a',
    '|',
    '>',
    '---',
    '!!',
    '<<: ',
    '? ',
  ],
  fewRuns: 300,
  inside: true,
  open: () => ({
    // All formats are tried on every input: what is one to us may be another to the person's editor.
    take: (input) =>
      Object.values(KINDS)
        .flat()
        .map((kind) => tryOne(kind, input))
        .join('; '),
  }),
}
