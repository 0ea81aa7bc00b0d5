// Lines into the protocol core, with a host behind it that answers everything: every id is answered at most as often as it was
// sent, nothing else is answered, and nothing is our own mistake.

import { createFrameReader } from '../../../src-main/mcp/framing.ts'
import { createMcpServer } from '../../../src-main/mcp/server.ts'
import type { Backend } from '../../../src-main/mcp/backend.ts'
import { expectOwn, idsIn, type Answer } from '../ids.ts'
import { promise, shapeOf, type Target } from '../target.ts'

const backend: Backend = {
  callTool: ({ tool }) => Promise.resolve({ kind: 'result', text: `done ${tool}`.slice(0, 40), isError: false }),
  recordRejected: () => undefined,
  listResources: () => Promise.resolve({ resources: [{ uri: 'secret://a', name: 'a', description: 'a' }], next: null }),
  readResource: () => Promise.resolve({ text: 'x' }),
  complete: () => Promise.resolve({ values: ['a'], total: 1 }),
}

export const WORDS = [
  '"jsonrpc":"2.0"',
  '"id":',
  '"method":',
  '"params":',
  '"tools/call"',
  '"tools/list"',
  '"initialize"',
  '"ping"',
  '"server/discover"',
  '"subscriptions/listen"',
  '"resources/read"',
  '"resources/list"',
  '"resources/subscribe"',
  '"resources/templates/list"',
  '"completion/complete"',
  '"notifications/cancelled"',
  '"notifications/initialized"',
  '"_meta":',
  '"io.modelcontextprotocol/protocolVersion":"2026-07-28"',
  '"io.modelcontextprotocol/clientCapabilities":{}',
  '"protocolVersion":"2025-03-26"',
  '"progressToken":1',
  '"requestId":',
  '"name":"get_secret"',
  '"arguments":{',
  '"value":"v"',
  '{',
  '}',
  '[',
  ']',
  ',',
  '"',
  '\\',
  '\n',
  '\r\n',
  'true',
  '{}',
  '[]',
  '""',
  '\\u0000',
  '\\ud800',
]

function counted(items: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  return counts
}

export const jsonrpc: Target = {
  name: 'jsonrpc',
  words: WORDS,
  fewRuns: 500,
  inside: true,
  open: () => ({
    async take(input) {
      const sent: Answer[] = []
      const bugs: unknown[] = []
      const server = createMcpServer({
        backend: () => backend,
        serverInfo: { name: 'countersign', title: 'Countersign', version: '1' },
        onBug: (error) => void bugs.push(error),
        // As it would come out of the bridge.
        send: (message) => void sent.push(...([JSON.parse(JSON.stringify(message))] as (Answer | Answer[])[]).flat()),
      })
      const frames = createFrameReader({ maxBytes: 1 << 20, onLine: server.receive, onFault: server.fault })
      frames.push(input)
      frames.end()
      await server.whenIdle()
      await server.close()
      promise(bugs.length === 0, `no mistake of ours: ${String(bugs[0])}`)
      const asked = idsIn(input)
      const ids = new Set(asked)
      const told = sent.map((answer) => expectOwn(answer, ids))
      const due = counted(asked)
      for (const [id, times] of counted(
        sent.flatMap(({ id, method }) => (id == null || method !== undefined ? [] : [JSON.stringify(id)])),
      )) {
        promise(times <= (due.get(id) ?? 0), 'a request is answered once')
      }
      return shapeOf([...new Set(told)].join(' '))
    },
  }),
}
