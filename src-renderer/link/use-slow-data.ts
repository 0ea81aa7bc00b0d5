import { useEffect, useState } from 'react'
import type { MethodName, ParamsIn, Result } from '../../src-shared/rpc.ts'
import { sentence, type HostEvent } from './host-link.ts'
import { useLink } from './use-host.ts'

/** A change that the person made here is seen at once; what clients do all the time, only so often. */
const AT_ONCE: readonly HostEvent['event'][] = ['changed']
const SLOWLY: readonly HostEvent['event'][] = ['audit']

/** Like useHostData, for what follows from the log: asked again at most every `everyMs` however many calls there are. */
export function useSlowData<M extends MethodName>(
  method: M,
  params: ParamsIn<M>,
  everyMs: number,
): { data: Result<M> | null; error: string | null } {
  const link = useLink()
  const [held, setHeld] = useState<{ data: Result<M> | null; error: string | null }>({ data: null, error: null })
  const asked = JSON.stringify(params)

  useEffect(() => {
    let over = false
    let timer: ReturnType<typeof setTimeout> | null = null
    let last = -Infinity

    async function ask(): Promise<void> {
      timer = null
      if (link.state() !== 'open') return
      last = performance.now()
      try {
        const data = await link.call(method, JSON.parse(asked) as ParamsIn<M>) // What was stringified just above.
        if (!over) setHeld({ data, error: null })
      } catch (error) {
        if (!over) setHeld((before) => ({ ...before, error: sentence(error) }))
      }
    }
    function soon(ms: number): void {
      if (timer !== null && ms > 0) return
      if (timer !== null) clearTimeout(timer)
      timer = setTimeout(() => void ask(), ms)
    }

    const offEvent = link.onEvent(({ event }) => {
      if (AT_ONCE.includes(event)) soon(0)
      else if (SLOWLY.includes(event)) soon(Math.max(0, last + everyMs - performance.now()))
    })
    const offState = link.onState(() => soon(0))
    void ask()
    return () => {
      over = true
      if (timer !== null) clearTimeout(timer)
      offEvent()
      offState()
    }
  }, [link, method, asked, everyMs])

  return held
}
