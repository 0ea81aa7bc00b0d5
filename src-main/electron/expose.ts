// Runs in the sandbox of a window, between its page and us: hands the page two functions and nothing of Electron.

import { contextBridge, ipcRenderer, type IpcRendererEvent } from 'electron'
import type { Desktop, DesktopAnswer } from '../../src-shared/desktop.ts'
import type { MethodName } from '../../src-shared/rpc.ts'
import { CALL, EVENT } from './channels.ts'

/** `methods`: all this page may ask for; null leaves it to the host, which checks either way. */
export function expose(methods: readonly MethodName[] | null, more: Pick<Desktop, 'fit'> = {}): void {
  const desktop: Desktop = {
    ...more,
    call: async (method, params) => {
      if (methods !== null && !(methods as readonly string[]).includes(method)) {
        return { error: { code: 'forbidden', message: 'This window may not ask for that.' } }
      }
      // Our own main process, which knows no other shape.
      return (await ipcRenderer.invoke(CALL, { method, params })) as DesktopAnswer
    },
    onEvent: (listener) => {
      const hear = (_: IpcRendererEvent, message: { event: string; data: unknown }) => listener(message)
      ipcRenderer.on(EVENT, hear)
      return () => ipcRenderer.off(EVENT, hear)
    },
  }
  contextBridge.exposeInMainWorld('countersign', desktop)
}
