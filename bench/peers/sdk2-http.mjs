// The second SDK over HTTP on node:http, as its examples have it: Host, Origin and a token are checked, JSON answers, no log.
// Run from the folder the SDK was fetched into, with the token as argument.

import { createServer } from 'node:http'
import { localhostHostValidation, localhostOriginValidation, NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node'
import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

const [token] = process.argv.slice(2)
const names = ['bench/1', 'bench/2', 'bench/3', 'bench/4', 'bench/5']
const validateHost = localhostHostValidation()
const validateOrigin = localhostOriginValidation()

function tools() {
  const server = new McpServer({ name: 'sdk2', version: '1' }, { capabilities: { tools: {} } })
  server.registerTool(
    'list_secrets',
    {
      description: 'List all secret names.',
      inputSchema: z.object({ scope: z.string().optional() }),
      outputSchema: z.object({ names: z.array(z.string()) }),
    },
    () => ({ content: [{ type: 'text', text: JSON.stringify(names) }], structuredContent: { names } }),
  )
  return server
}

const server = createServer(async (request, response) => {
  if (!validateHost(request, response) || !validateOrigin(request, response)) return
  if (request.headers.authorization !== `Bearer ${token}`) return response.writeHead(401).end()
  const mcp = tools()
  const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true })
  response.on('close', () => {
    void transport.close()
    void mcp.close()
  })
  await mcp.connect(transport)
  await transport.handleRequest(request, response)
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify({ port: server.address().port })}\n`))
