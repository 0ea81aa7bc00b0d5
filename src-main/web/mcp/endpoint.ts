// Opens `/mcp` while it is switched on and shuts it while it is not, following the settings. A port that cannot be had is said;
// another one is never taken in its place.

import { messageOf } from '../../host/errors.ts'
import type { Host } from '../../host/host.ts'
import { serveMcp, type McpHttp, type McpHttpOptions } from './server.ts'

export interface EndpointOptions extends Pick<McpHttpOptions, 'inspect' | 'onBug' | 'answer'> {
  host: Host
  /** The person started us with HTTP on, whatever is set; null: on the port that is set. */
  forced?: { port: number | null } | undefined
}

export interface Endpoint {
  close: () => Promise<void>
}

/** Resolves when what is set now has been done, or has failed and been reported. */
export async function keepEndpoint({ host, forced, ...options }: EndpointOptions): Promise<Endpoint> {
  let served: { port: number; http: McpHttp } | null = null
  let failed: number | null = null
  let closed = false
  let work: Promise<void> = Promise.resolve()

  function wanted(): number | null {
    const set = closed ? null : host.http.settings()
    if (set === null || !(set.enabled || forced)) return null
    return forced?.port ?? set.port
  }

  async function follow(): Promise<void> {
    const port = wanted()
    if (port === (served?.port ?? failed)) return
    failed = null
    await served?.http.close()
    served = null
    if (port === null) return host.http.report(null)
    try {
      served = { port, http: await serveMcp({ ...options, host, port }) }
      host.http.report({ url: served.http.url })
    } catch (error) {
      failed = port
      host.http.report({ trouble: messageOf(error) })
    }
  }

  const again = (): Promise<void> => (work = work.then(follow))

  const stopHearing = host.subscribe('window', null, (event, data) => {
    if (event !== 'changed') return
    // Whoever sets it once more has perhaps freed the port.
    if (isAbout(data, 'settings')) failed = null
    if (isAbout(data, 'settings') || isAbout(data, 'status')) void again()
  })
  await again()
  return {
    async close() {
      stopHearing()
      closed = true
      await again()
    },
  }
}

function isAbout(data: unknown, what: string): boolean {
  return typeof data === 'object' && data !== null && 'what' in data && data.what === what
}
