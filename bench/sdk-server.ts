// What our endpoint is measured against: the first SDK's own server on express, stateless and with JSON answers, as its examples
// have it, with the same duties as ours (Host and token are checked, the tool has both of its schemas), but without secrets,
// policies or a log: its tool answers with a fixed list.

import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'

type Incoming = { body: unknown }
type Outgoing = { on: (event: 'close', run: () => void) => void }
interface App {
  post: (path: string, guard: unknown, handler: (request: Incoming, response: Outgoing) => void) => void
  listen: (port: number, host: string, ready: () => void) => { address: () => unknown }
}
interface McpServer {
  registerTool: (name: string, about: object, run: () => object) => void
  connect: (transport: Transport) => Promise<void>
  close: () => Promise<void>
}
interface Transport {
  handleRequest: (request: object, response: object, body: unknown) => Promise<void>
  close: () => Promise<void>
}

const [folder = '', token = '', names = '[]'] = process.argv.slice(2)
// From the folder it was fetched into: neither it nor express is a dependency of ours at run time.
const load = createRequire(`${folder}/package.json`)
const { createMcpExpressApp } = load('@modelcontextprotocol/sdk/server/express.js') as { createMcpExpressApp: () => App }
const { requireBearerAuth } = load('@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js') as {
  requireBearerAuth: (options: { verifier: { verifyAccessToken: (token: string) => Promise<object> } }) => unknown
}
const { InvalidTokenError } = load('@modelcontextprotocol/sdk/server/auth/errors.js') as {
  InvalidTokenError: new (message: string) => Error
}
const { McpServer } = load('@modelcontextprotocol/sdk/server/mcp.js') as { McpServer: new (info: object) => McpServer }
const { StreamableHTTPServerTransport } = load('@modelcontextprotocol/sdk/server/streamableHttp.js') as {
  StreamableHTTPServerTransport: new (options: object) => Transport
}
const { z } = load('zod') as typeof import('zod')

const list = JSON.parse(names) as string[]
const verifyAccessToken = (shown: string): Promise<object> =>
  shown === token
    ? Promise.resolve({ token: shown, clientId: 'bench', scopes: [], expiresAt: Date.now() / 1000 + 3600 })
    : Promise.reject(new InvalidTokenError('no'))

const app = createMcpExpressApp()
app.post('/mcp', requireBearerAuth({ verifier: { verifyAccessToken } }), (request, response) => void answer(request, response))

async function answer(request: Incoming, response: Outgoing): Promise<void> {
  const server = new McpServer({ name: 'peer', version: '1' })
  const about = {
    description: 'List all secret names, optionally filtered by a policy scope.',
    inputSchema: { scope: z.string().optional() },
    outputSchema: { names: z.array(z.string()) },
  }
  server.registerTool('list_secrets', about, () => ({
    content: [{ type: 'text', text: JSON.stringify(list) }],
    structuredContent: { names: list },
  }))
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true })
  response.on('close', () => {
    void transport.close()
    void server.close()
  })
  await server.connect(transport)
  await transport.handleRequest(request, response, request.body)
}

const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port })}\n`)
})
