// A bridge spoken to in one revision of the protocol: with a handshake up to 2025-11-25, with every request saying so after that.

import { REVISIONS, type Revision } from '../../src-main/mcp/revisions.ts'
import type { Message, RunningBridge } from './bridge.ts'

export { REVISIONS, type Revision }
export const LEGACY = REVISIONS.filter((revision) => revision !== '2026-07-28')

export interface Speaker {
  request: (method: string, params?: Record<string, unknown>) => Promise<Message>
  call: (tool: string, args: unknown) => Promise<Message>
  /** Params as a request of this revision carries them, for messages made by hand. */
  dress: (params: Record<string, unknown>) => Record<string, unknown>
}

/** What a request of the newest revision says about itself. */
export const modernMeta = (protocolVersion: string = '2026-07-28') => ({
  'io.modelcontextprotocol/protocolVersion': protocolVersion,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'e2e', version: '1' },
})

export async function speak(bridge: RunningBridge, revision: Revision): Promise<Speaker> {
  const modern = revision === '2026-07-28'
  if (!modern) await bridge.initialize(revision)
  const dress = (params: Record<string, unknown>) => (modern ? { ...params, _meta: modernMeta() } : params)
  const request: Speaker['request'] = (method, params = {}) => bridge.request(method, dress(params))
  return { request, dress, call: (tool, args) => request('tools/call', { name: tool, arguments: args }) }
}
