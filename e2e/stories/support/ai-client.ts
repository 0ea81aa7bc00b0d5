// An AI client as the SDK builds them: it starts the built bridge and speaks MCP with it.

import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { executable } from '../../../scripts/packaged.ts'
import { dist } from '../../support/host.ts'

export interface AiClient {
  /** Calls a tool; returns its text. */
  call: (tool: string, args?: Record<string, unknown>) => Promise<string>
  close: () => Promise<void>
}

export interface AiClientOptions {
  home: string
  /** Null: nobody registered it. */
  id: string | null
  /** What it calls itself. */
  says?: string
  /** Starts the packaged bridge in place of the built one. */
  packaged?: boolean
}

const PATIENCE_MS = 120_000

export async function startAiClient({ home, id, says = 'cursor-vscode', packaged = false }: AiClientOptions): Promise<AiClient> {
  const client = new Client({ name: says, version: '1.0.0' })
  await client.connect(
    new StdioClientTransport({
      command: packaged ? executable : process.execPath,
      args: [...(packaged ? ['mcp'] : [path.join(dist, 'bridge.js')]), ...(id === null ? [] : ['--client', id])],
      // It may not start a host: one that nobody ends would outlive the test.
      env: { ...inherited(), COUNTERSIGN_HOME: home, COUNTERSIGN_NO_START: '1' },
    }),
  )
  return {
    call: async (tool, args = {}) => {
      const { content } = await client.callTool({ name: tool, arguments: args }, undefined, { timeout: PATIENCE_MS })
      return (content as { text: string }[])[0]?.text ?? ''
    },
    close: () => client.close(),
  }
}

function inherited(): Record<string, string> {
  return Object.fromEntries(Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}
