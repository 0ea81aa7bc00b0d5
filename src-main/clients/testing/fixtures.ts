// Files as people have them, for every format. Each holds something of everybody else's that must survive.

import { ENTRY_NAME, type ClientFacts, type Launch } from '../facts.ts'

export const LAUNCH: Launch = { command: '/opt/node/bin/node', args: ['/opt/my app/bridge.js', 'mcp', '--client', 'x'], env: {} }
/** As it is for a client without a registration. */
export const STRANGER: Launch = { ...LAUNCH, args: LAUNCH.args.slice(0, 2) }

export interface Fixture {
  name: string
  /** Null: there is no file. */
  text: string | null
  /** The file must be left alone, for this reason. */
  refused?: RegExp
}

/** Everything the client's own format allows, and everything it does not. */
export function fixturesFor(facts: ClientFacts): Fixture[] {
  switch (facts.format.kind) {
    case 'json':
      return jsonFixtures(facts.path, facts.format)
    case 'toml':
      return tomlFixtures()
    case 'yaml':
      return yamlFixtures(facts.path[0] ?? '', facts.format.shape)
  }
}

const windowsLines = (text: string) => text.replaceAll('\n', '\r\n')
const marked = (text: string) => `\uFEFF${text}`

function jsonFixtures(path: readonly string[], allowed: { comments: boolean; trailingCommas: boolean }): Fixture[] {
  const key = JSON.stringify(path[0])
  const other = { command: 'npx', args: ['-y', 'other'], env: { TOKEN: 'abc\u{1F511}"\\' } }
  const whole = {
    theme: 'dark',
    [path[0] ?? '']: { other, 'with.dot': { command: 'x' } },
    ünïcode: [1, 2.5e-3, null, true],
  }
  const pretty = `${JSON.stringify(whole, null, 2)}\n`
  const commented = `// mine\n{\n  /* all */ ${key}: {\n    "other": { "command": "npx" } // keep this here\n    // and this\n  },\n  "n": 12345678901234567890 // end\n}\n`
  const trailing = `{\n  ${key}: {\n    "other": { "command": "npx", },\n  },\n  "list": [1, 2,],\n}\n`
  const comment = allowed.comments ? {} : { refused: /line 1, column 1.*comment/ }
  const comma = allowed.trailingCommas ? {} : { refused: /line \d+, column \d+.*comma/ }
  return [
    { name: 'clean', text: pretty },
    { name: 'clean without a line end', text: pretty.trimEnd() },
    { name: 'commented', text: commented, ...comment },
    { name: 'trailing comma', text: trailing, ...comma },
    { name: 'tabs', text: `${JSON.stringify(whole, null, '\t')}\n` },
    { name: 'odd indentation', text: `{\n       "a":1,\n ${key} : {\n\n   "other":   {"command":"npx"}\n\n      }\n   }` },
    { name: 'one line', text: JSON.stringify(whole) },
    { name: 'CRLF', text: windowsLines(pretty) },
    { name: 'BOM', text: marked(pretty) },
    { name: 'BOM and CRLF', text: marked(windowsLines(pretty)) },
    { name: 'empty', text: '' },
    { name: 'blank', text: ' \n\n' },
    { name: '{}', text: '{}' },
    { name: '{} on two lines', text: '{\n}\n' },
    { name: 'no servers yet', text: '{\n  "theme": "dark"\n}\n' },
    { name: 'an empty map of servers', text: `{\n  ${key}: {}\n}\n` },
    { name: 'an empty map of servers on two lines', text: `{\n  ${key}: {\n  },\n  "b": 2\n}\n` },
    { name: 'missing', text: null },
    { name: 'doubled keys elsewhere', text: `{ "a": 1, "a": 98765432109876543210, ${key}: { "other": { "x": 1, "x": 2 } } }` },
    { name: 'our key doubled', text: `{\n  ${key}: { "${ENTRY_NAME}": {}, "${ENTRY_NAME}": {} }\n}`, refused: /line 2, column \d+.*twice/ },
    { name: 'the servers doubled', text: `{\n  ${key}: {},\n  ${key}: {}\n}`, refused: /line 3, column 3.*twice/ },
    { name: 'truncated', text: pretty.slice(0, -12), refused: /line \d+, column \d+/ },
    { name: 'truncated within a string', text: pretty.slice(0, 9), refused: /line 2, column \d+/ },
    { name: 'servers are a list', text: `{ ${key}: [] }`, refused: /line 1, column \d+.*map/ },
    { name: 'a list', text: '[]', refused: /line 1, column 1.*map/ },
    { name: 'something after the end', text: '{}\n{}', refused: /line 2, column 1/ },
    { name: 'single quotes', text: "{\n  'a': 1\n}", refused: /line 2, column 3/ },
    { name: 'too deep', text: `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`, refused: /deep/ },
  ]
}

function tomlFixtures(): Fixture[] {
  const whole = [
    '# mine',
    'model = "gpt"  # which',
    'notes = """',
    '[mcp_servers.countersign]',
    'not a table: \\""" still inside',
    '"""',
    'matrix = [',
    '  [1, 2],',
    '  [9007199254740993, 4],',
    ']',
    '',
    '[mcp_servers.other]',
    'command = "npx" # keep',
    "args = ['-y', 'other']",
    '',
    '  [mcp_servers.other.env]',
    '  TOKEN = "abc"',
    '',
    '# about profiles',
    '[[profiles]]',
    'when = 2026-01-02T03:04:05Z',
    '',
  ].join('\n')
  return [
    { name: 'clean', text: whole },
    { name: 'without a line end', text: whole.trimEnd() },
    { name: 'CRLF', text: windowsLines(whole) },
    { name: 'BOM', text: marked(whole) },
    { name: 'BOM and CRLF', text: marked(windowsLines(whole)) },
    { name: 'empty', text: '' },
    { name: 'comments only', text: '# nothing yet\n' },
    { name: 'no servers yet', text: 'model = "gpt"\n' },
    { name: 'missing', text: null },
    { name: 'an inline table of servers', text: 'mcp_servers = { other = { command = "npx" } }\n', refused: /without touching/ },
    { name: 'our table doubled', text: '[mcp_servers.countersign]\n[mcp_servers.countersign]\n', refused: /line 2, column \d+/ },
    { name: 'doubled keys', text: 'a = 1\na = 2\n', refused: /line 2, column \d+/ },
    { name: 'truncated', text: whole.slice(0, 60), refused: /line \d+, column \d+/ },
    { name: 'not TOML', text: '{ "mcp_servers": {} }', refused: /line 1, column \d+/ },
  ]
}

function yamlFixtures(key: string, shape: 'map' | 'list'): Fixture[] {
  const map = `# mine\nmodel: gpt # which\n${key}:\n  other: # keep\n    type: stdio\n    cmd: npx\n    args: ['-y', other]\n  second:\n    enabled: false\n\n# the end\nnotes: |\n  countersign:\n    not a key\n\nlist: &l [1, 2]\nagain: *l\n`
  const list = `# mine\nname: my assistant\n${key}:\n  # first\n  - name: other # keep\n    command: npx\n    args:\n      - -y\n  - command: second\n    name: two\n\n# the end\nrules:\n- one\n- two\n`
  const whole = shape === 'map' ? map : list
  const doubled =
    shape === 'map' ? `${key}:\n  countersign: {}\n  countersign: {}\n` : `${key}:\n  - name: countersign\n  - name: countersign\n`
  return [
    { name: 'clean', text: whole },
    { name: 'without a line end', text: whole.trimEnd() },
    { name: 'servers last', text: whole.slice(0, whole.indexOf('\n# the end')) },
    { name: 'servers last, without a line end', text: whole.slice(0, whole.indexOf('\n\n# the end')) },
    { name: 'CRLF', text: windowsLines(whole) },
    { name: 'BOM', text: marked(whole) },
    {
      name: 'no indentation',
      text: shape === 'list' ? `${key}:\n- name: other\n  command: npx\nz: 1\n` : `${key}:\n other:\n  a: 1\nz: 1\n`,
    },
    { name: 'empty', text: '' },
    { name: 'comments only', text: '# nothing yet\n' },
    { name: 'no servers yet', text: 'model: gpt\n' },
    { name: 'servers without a value', text: `${key}:\nmodel: gpt\n` },
    { name: 'empty brackets', text: `${key}: ${shape === 'map' ? '{}' : '[]'} # none\nmodel: gpt\n` },
    { name: 'missing', text: null },
    {
      name: 'brackets',
      text: shape === 'map' ? `${key}: { other: { a: 1 } }\n` : `${key}: [{ name: other }]\n`,
      refused: /line 1, column \d+.*by hand/,
    },
    { name: 'our entry doubled', text: doubled, refused: /line 3, column \d+.*twice/ },
    { name: 'doubled keys', text: 'a: 1\na: 2\n', refused: /line 2, column 1.*twice/ },
    { name: 'not a map', text: '- a\n- b\n', refused: /line 1, column 1/ },
    { name: 'truncated', text: 'a: "b\nc: d\n', refused: /line \d+, column \d+/ },
    { name: 'two documents', text: 'a: 1\n---\nb: 2\n', refused: /several/ },
  ]
}
