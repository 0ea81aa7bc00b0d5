// The protocol core's view of the host, over the line. A call that was sent is never sent again.

import type { ResourceInfo, ToolReply } from '../../src-shared/rpc.ts'
import { texts } from '../../src-shared/texts.ts'
import { TOOLS } from '../../src-shared/tools.ts'
import { LinkError, RequestFailed, type HostLink, type RequestOptions } from '../link/connect.ts'
import { BadCursor, HostAbsent, type Backend } from '../mcp/backend.ts'
import type { HostLine } from './host-line.ts'
import { REPEAT_READ, sentenceFor } from './sentences.ts'

/** How long a call may take that does not wait for a person; each sign of such waiting begins it anew. */
const CALL_LIMIT_MS = 30_000

const READS = new Set<string>(TOOLS.filter((tool) => tool.annotations.readOnlyHint).map((tool) => tool.name))

class TooSlow extends Error {
  override name = 'TooSlow'
}

export interface BridgeBackend extends Backend {
  /** Refusals that the host has not put on record yet. */
  unrecorded: () => number
}

interface BackendOptions {
  limitMs?: number
  /** One less is unrecorded. */
  onRecorded?: () => void
}

export function createBackend(line: HostLine, client: string | null, options: BackendOptions = {}): BridgeBackend {
  const { limitMs = CALL_LIMIT_MS, onRecorded = () => undefined } = options
  let unrecorded = 0

  async function reach(): Promise<HostLink> {
    try {
      return await line.get()
    } catch (error) {
      throw error instanceof LinkError ? new HostAbsent(sentenceFor(error, client)) : error
    }
  }

  async function ask(method: string, params: unknown): Promise<unknown> {
    const link = await reach()
    try {
      return await withinLimit(limitMs, (options) => link.request(method, params, options))
    } catch (error) {
      if (error instanceof LinkError || error instanceof TooSlow) throw new HostAbsent(REPEAT_READ)
      if (error instanceof RequestFailed && error.fault.code === 'bad params') throw new BadCursor(error.message)
      if (error instanceof RequestFailed && error.fault.code !== 'internal') throw new HostAbsent(error.message)
      throw error
    }
  }

  async function record(rejected: unknown): Promise<void> {
    await reach()
    // Not earlier: without a host nobody is kept waiting for a record that nobody will make.
    unrecorded++
    try {
      await ask('tools.rejected', rejected)
    } finally {
      unrecorded--
      onRecorded()
    }
  }

  return {
    async callTool({ tool, arguments: given, says, onWaiting }, signal) {
      const link = await reach()
      // Checked here because nothing has been sent yet: a call that was cancelled while it waited for its host is not made.
      signal.throwIfAborted()
      try {
        const params = { tool, arguments: given, says }
        // The host's dispatcher returns what the contract says for this method.
        return (await withinLimit(limitMs, (options) => link.request('tools.call', params, options), signal, onWaiting)) as ToolReply
      } catch (error) {
        return afterFailure(error, READS.has(tool))
      }
    },
    recordRejected(rejected) {
      // The client has its refusal already; without a host there is no log, and nothing was done.
      void record(rejected).catch(() => undefined)
    },
    unrecorded: () => unrecorded,
    listResources: async (cursor) => (await ask('resources.list', { cursor })) as { resources: ResourceInfo[]; next: string | null },
    readResource: async (uri) => (await ask('resources.read', { uri })) as { text: string } | null,
    complete: async (what, prefix) => (await ask('names.complete', { what, prefix })) as { values: string[]; total: number },
  }
}

function afterFailure(error: unknown, isRead: boolean): ToolReply {
  const failure = (text: string): ToolReply => ({ kind: 'result', text, isError: true })
  if (error instanceof TooSlow) return { kind: 'timeout' }
  if (error instanceof LinkError) return failure(isRead ? REPEAT_READ : texts.interrupted)
  if (error instanceof RequestFailed && error.fault.code !== 'internal') return failure(error.message)
  throw error
}

async function withinLimit(
  limitMs: number,
  request: (options: RequestOptions) => Promise<unknown>,
  signal?: AbortSignal,
  onWaiting?: (message: string) => void,
): Promise<unknown> {
  const control = new AbortController()
  const tooSlow = () => control.abort(new TooSlow('The host did not answer in time.'))
  const cancelled = () => control.abort(signal?.reason)
  let timer = setTimeout(tooSlow, limitMs)
  signal?.addEventListener('abort', cancelled)
  try {
    return await request({
      signal: control.signal,
      onWaiting(message) {
        clearTimeout(timer)
        timer = setTimeout(tooSlow, limitMs)
        onWaiting?.(message)
      },
    })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancelled)
  }
}
