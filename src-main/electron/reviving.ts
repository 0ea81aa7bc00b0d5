import type { BrowserWindow } from 'electron'

const SOON_MS = 100
const LATER_MS = 5000

/** A page that crashed or hangs is loaded anew: at once, or after a pause when it happened a moment ago. Nothing is lost with it. */
export function reloadAfterCrash(window: BrowserWindow): void {
  const { webContents } = window
  let last = Number.NEGATIVE_INFINITY
  webContents.on('render-process-gone', () => {
    const wait = performance.now() - last > LATER_MS ? SOON_MS : LATER_MS
    last = performance.now()
    setTimeout(() => {
      if (!window.isDestroyed()) webContents.reload()
    }, wait)
  })
  window.on('unresponsive', () => webContents.forcefullyCrashRenderer())
}
