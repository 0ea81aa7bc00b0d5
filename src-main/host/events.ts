import type { EventName, HostEvents } from '../../src-shared/rpc.ts'

export type Listener = <E extends EventName>(event: E, data: HostEvents[E]) => void

export interface Events {
  emit: <E extends EventName>(event: E, data: HostEvents[E]) => void
  on: (listener: Listener) => () => void
}

/** The host tells; it never calls a window. Whoever wants to know listens. */
export function createEvents(): Events {
  const listeners = new Set<Listener>()
  return {
    emit: (event, data) => {
      for (const listener of listeners) listener(event, data)
    },
    on: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
