// The floor: the least a server in Node can do and still be one. No checks, no record, one tool with a fixed answer.
// With a path as argument it listens on a local socket instead: the program behind the relay in C.

'use strict'

const TOOLS = [
  {
    name: 'list_secrets',
    description: 'List all secret names.',
    inputSchema: { type: 'object', properties: { scope: { type: 'string' } } },
    outputSchema: { type: 'object', properties: { names: { type: 'array', items: { type: 'string' } } }, required: ['names'] },
  },
]
const names = ['bench/1', 'bench/2', 'bench/3', 'bench/4', 'bench/5']
const SERVER = { name: 'floor', version: '1' }
const VERSIONS = ['2026-07-28', '2025-11-25']

function resultOf(method, params) {
  switch (method) {
    case 'initialize':
      return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: SERVER }
    case 'server/discover':
      return { resultType: 'complete', supportedVersions: VERSIONS, capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'public' }
    case 'tools/list':
      return { tools: TOOLS }
    case 'tools/call':
      return { content: [{ type: 'text', text: JSON.stringify(names) }], structuredContent: { names } }
    default:
      return {}
  }
}

function serve(input, output) {
  let rest = ''
  input.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()
    let answers = ''
    for (const line of lines) {
      const { id, method, params } = JSON.parse(line)
      if (id !== undefined) answers += `${JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method, params) })}\n`
    }
    if (answers !== '') output.write(answers)
  })
}

const socket = process.argv[2]
if (socket === undefined) serve(process.stdin, process.stdout)
else
  require('node:net')
    .createServer((connection) =>
      serve(
        connection.on('error', () => {}),
        connection,
      ),
    )
    .listen(socket)
