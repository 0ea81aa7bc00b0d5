import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react'
import type { MethodName, ParamsIn, Result } from '../../src-shared/rpc.ts'
import { sentence, type HostEvent, type HostLink, type LinkState } from './host-link.ts'

export const LinkContext = createContext<HostLink | null>(null)

export function useLink(): HostLink {
  const link = useContext(LinkContext)
  if (link === null) throw new Error('This part of the page needs a link to the host around it.')
  return link
}

export function useLinkState(link: HostLink): LinkState {
  return useSyncExternalStore(link.onState, link.state)
}

export interface HostData<T> {
  /** The latest answer; kept while a newer one is on its way or cannot be had. */
  data: T | null
  /** When it came, on the page's own monotonic clock. */
  at: number
  error: string | null
}

/**
 * What `method` answers, asked again whenever one of `events` comes or the connection does. Events that come while a question
 * is open are answered by one more question, so that a flood of them costs little. `events` must be a constant.
 */
export function useHostData<M extends MethodName>(
  method: M,
  params: ParamsIn<M>,
  events: readonly HostEvent['event'][],
): HostData<Result<M>> {
  const link = useLink()
  const [held, setHeld] = useState<HostData<Result<M>>>({ data: null, at: 0, error: null })
  const asked = JSON.stringify(params)

  useEffect(() => {
    let over = false
    let asking = false
    let again = false

    async function ask(): Promise<void> {
      if (link.state() !== 'open') return
      again = asking
      if (asking) return
      asking = true
      try {
        const data = await link.call(method, JSON.parse(asked) as ParamsIn<M>) // What was stringified just above.
        if (!over) setHeld({ data, at: performance.now(), error: null })
      } catch (error) {
        if (!over) setHeld((before) => ({ ...before, error: sentence(error) }))
      }
      asking = false
      if (again && !over) await ask()
    }

    const offEvent = link.onEvent(({ event }) => {
      if (events.includes(event)) void ask()
    })
    const offState = link.onState(() => void ask())
    void ask()
    return () => {
      over = true
      offEvent()
      offState()
    }
  }, [link, method, asked, events])

  return held
}
