import type { Outcome } from '../../src-shared/audit.ts'
import type { ToolReply } from '../../src-shared/rpc.ts'
import type { Detail } from './record.ts'

/** What a tool comes back with: the client's answer, and what of it may stand in the log. */
export interface ToolResult {
  reply: ToolReply
  outcome: Outcome
  detail?: Detail
}

export const failure = (text: string, outcome: Outcome, detail: Detail = {}): ToolResult => ({
  reply: { kind: 'result', text, isError: true },
  outcome,
  detail,
})

/** `structured` is null where the text is all there is to say. */
export const success = (text: string, structured: Record<string, unknown> | null, detail: Detail = {}): ToolResult => ({
  reply: { kind: 'result', text, isError: false, ...(structured === null ? {} : { structured }) },
  outcome: 'allowed',
  detail,
})
