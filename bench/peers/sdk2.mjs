// The second SDK as its examples use it, with one tool that has a fixed answer. Run from the folder the SDK was fetched into.

import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const names = ['bench/1', 'bench/2', 'bench/3', 'bench/4', 'bench/5']
serveStdio(() => {
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
})
