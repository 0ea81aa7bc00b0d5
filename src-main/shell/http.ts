import { inspectTcpPeer } from '../adapters/tcp-peer.ts'
import type { Host } from '../host/host.ts'
import { keepEndpoint, type Endpoint, type EndpointOptions } from '../web/mcp/endpoint.ts'

/** `/mcp` as the settings have it, or as the person started us. Every shell has it, so that a switch in a window does something. */
export function serveHttp(host: Host, forced?: EndpointOptions['forced']): Promise<Endpoint> {
  return keepEndpoint({ host, forced, inspect: inspectTcpPeer, onBug })
}

/** Its message may quote what was sent. */
function onBug(error: unknown): void {
  const where = error instanceof Error ? (error.stack ?? '').split('\n').slice(1).join('\n') : ''
  process.stderr.write(`countersign: a mistake at /mcp (${error instanceof Error ? error.name : typeof error})\n${where}\n`)
}
