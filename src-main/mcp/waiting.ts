// A request that waits for the host: known by its id, cancellable, and answered at most once.

import type { JsonObject } from './json.ts'
import type { Response } from './jsonrpc.ts'
import type { Context, Running } from './session.ts'

/** Resolves with the answer, or with null as soon as nobody waits for one any more. */
export function awaited(
  context: Context,
  run: (context: Context, running: Running) => Promise<JsonObject>,
  finish: (result: JsonObject) => Response,
  fail: (error: unknown) => Response,
): Promise<Response | null> {
  const { session, link, request } = context
  if (link.signal?.aborted === true) return Promise.resolve(null)
  return new Promise((resolve) => {
    const controller = new AbortController()
    const running: Running = { signal: controller.signal, wanted: true, hangUp: () => over(null) }

    function over(response: Response | null): void {
      if (!running.wanted) return
      running.wanted = false
      session.inFlight.delete(request.id)
      link.signal?.removeEventListener('abort', running.hangUp)
      resolve(response)
      if (response === null) controller.abort()
    }

    async function work(): Promise<void> {
      try {
        const result = await run(context, running)
        if (running.wanted) over(finish(result))
      } catch (error) {
        if (running.wanted) over(fail(error))
      } finally {
        session.running -= 1
      }
    }

    session.inFlight.set(request.id, running)
    session.running += 1
    link.signal?.addEventListener('abort', running.hangUp, { once: true })
    void work()
  })
}
