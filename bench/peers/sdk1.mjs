// The first SDK as its examples use it, with one tool that has a fixed answer. Run from the folder the SDK was fetched into.

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const names = ['bench/1', 'bench/2', 'bench/3', 'bench/4', 'bench/5']
const server = new McpServer({ name: 'sdk1', version: '1' })
server.registerTool(
  'list_secrets',
  {
    description: 'List all secret names.',
    inputSchema: { scope: z.string().optional() },
    outputSchema: { names: z.array(z.string()) },
  },
  () => ({ content: [{ type: 'text', text: JSON.stringify(names) }], structuredContent: { names } }),
)
await server.connect(new StdioServerTransport())
