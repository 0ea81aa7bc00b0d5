// The command line's line to the host: its own registration, its own key, and no way to answer an approval.

import { CLI_CLIENT_ID } from '../../src-shared/client.ts'
import type { HostStatus, MethodName, ParamsIn, Result, ToolReply } from '../../src-shared/rpc.ts'
import { readKey } from '../adapters/key-files.ts'
import { dataFolder, socketPath } from '../adapters/paths.ts'
import { connectHost, LinkError, type HostLink, type RequestOptions } from '../link/connect.ts'
import { EXIT, exitOfToolError, Stop } from './exit.ts'
import { plain, type Io } from './io.ts'

const HANDSHAKE_MS = 5000

/** Rejects with LinkError. */
export async function connect(io: Io): Promise<HostLink> {
  const folder = dataFolder(io.env)
  const options = { socketPath: socketPath(folder), kind: 'cli', timeoutMs: HANDSHAKE_MS } as const
  if (readKey(folder, CLI_CLIENT_ID) === null) {
    // There is no host yet, or it has lost our key, or has made it just now: a host that lets strangers in tells.
    const stranger = await connectHost({ ...options, client: null })
    stranger.close()
  }
  const key = readKey(folder, CLI_CLIENT_ID)
  if (key === null) throw new LinkError('refused', 'There is no key for the command line.')
  return connectHost({ ...options, client: { id: CLI_CLIENT_ID, key } })
}

/** Connects, asks, and hangs up. */
export async function withHost<T>(io: Io, work: (link: HostLink) => Promise<T>): Promise<T> {
  const link = await connect(io)
  try {
    return await work(link)
  } finally {
    link.close()
  }
}

/** A request typed by the contract. */
export async function ask<M extends MethodName>(
  link: HostLink,
  method: M,
  params: ParamsIn<M>,
  options?: RequestOptions,
): Promise<Result<M>> {
  return (await link.request(method, params, options)) as Result<M> // The proven host's dispatcher answers as the contract says.
}

export interface ToolSuccess {
  text: string
  structured: Record<string, unknown>
}

/** Calls a tool as any client does: asks the person where the policy says so, and says on stderr where to answer. */
export function callTool(io: Io, tool: string, args: Record<string, unknown>): Promise<ToolSuccess> {
  return withHost(io, async (link) => {
    let told: string | null = null
    let answered = false
    const onWaiting = async (message: string) => {
      if (message === told) return
      told = message
      const page = await ask(link, 'status', {}).then(pageOf, () => null)
      if (!answered) io.stderr.write(`${plain(message)}. Answer it ${page === null ? 'in Countersign' : `at ${page}`}.\n`)
    }
    const reply = await ask(link, 'tools.call', { tool, arguments: args, says: null }, { onWaiting: (message) => void onWaiting(message) })
    answered = true
    return successOf(reply)
  })
}

/** The page's address as the host tells it; only ever one on this computer. */
export function pageOf({ page }: HostStatus): string | null {
  return page !== undefined && /^http:\/\/127\.0\.0\.1:\d+\/$/.test(page) ? page : null
}

function successOf(reply: ToolReply): ToolSuccess {
  switch (reply.kind) {
    case 'invalid':
      throw new Stop(EXIT.usage, `Invalid argument '${reply.field}': ${reply.fault}`)
    case 'timeout':
      throw new Stop(EXIT.failure, 'Countersign took too long; look whether it was done before you repeat it.')
    case 'result':
      if (reply.isError) throw new Stop(exitOfToolError(reply.text), reply.text)
      return { text: reply.text, structured: reply.structured ?? {} }
  }
}
