import type { RpcFault } from './rpc.ts'

export type DesktopAnswer = { result: unknown } | { error: RpcFault }

/** What a window of the desktop shell finds as `window.countersign`: its one way to the host. A page in a browser has none. */
export interface Desktop {
  call: (method: string, params: unknown) => Promise<DesktopAnswer>
  /** Returns a function that ends it. */
  onEvent: (listener: (message: { event: string; data: unknown }) => void) => () => void
  /** In the prompt window alone: how high its page would like it to be for this request (its id and revision). */
  fit?: (height: number, request: string) => void
}
