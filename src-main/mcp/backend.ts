// What the protocol core needs from whoever owns the secrets. The bridge gives it a link to the host, the host's own HTTP
// endpoint gives it the host. `null` stands for "no host": the core still answers handshake, tools/list and ping.

import type { ResourceInfo, ToolReply } from '../../src-shared/rpc.ts'

export interface ToolCall {
  tool: string
  /** As it came; the host validates and records. */
  arguments: unknown
  /** What the client calls itself: untrusted, for the prompt and the log. */
  says: string | null
  /** Called while the call waits for a person. */
  onWaiting: (message: string) => void
}

export interface Backend {
  callTool: (call: ToolCall, signal: AbortSignal) => Promise<ToolReply>
  /** A call the protocol refused before it could be made. Recorded by the host; the answer does not wait for it. */
  recordRejected: (rejected: { tool: string | null; fields: string[]; reason: string; says: string | null }) => void
  listResources: (cursor: string | null) => Promise<{ resources: ResourceInfo[]; next: string | null }>
  /** null: no such resource for this client. */
  readResource: (uri: string) => Promise<{ text: string } | null>
  complete: (what: 'secret' | 'policy', prefix: string) => Promise<{ values: string[]; total: number }>
}

/** Thrown by `listResources` for a cursor it did not make. */
export class BadCursor extends Error {
  override name = 'BadCursor'
}

/** Thrown by every method while there is no host, with the sentence to show. */
export class HostAbsent extends Error {
  override name = 'HostAbsent'
}
