import type { Desktop } from '../../src-shared/desktop.ts'
import { HostError, type HostEvent, type HostLink } from './host-link.ts'

declare global {
  interface Window {
    /** There in a window of the desktop shell, missing in a browser. */
    countersign?: Desktop
  }
}

/** The host is the process this window belongs to: it is there as long as the window is, and nobody has to log in. */
export function createElectronLink(desktop: Desktop): HostLink {
  return {
    call: async (method, params) => {
      const answer = await desktop.call(method, params)
      if ('error' in answer) throw new HostError(answer.error.code, answer.error.message)
      return answer.result as never // The contract types the result by its method.
    },
    onEvent: (listener) => desktop.onEvent((message) => listener(message as HostEvent)), // From our own host, which knows no other shape.
    state: () => 'open',
    onState: () => () => {},
    close: () => {},
  }
}
