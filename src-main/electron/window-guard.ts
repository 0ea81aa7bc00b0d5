// The guard of a window: beside what its page reports, the window itself has to stand still, in sight, with the pointer not resting
// where it came up.

import { screen, type BrowserWindow, type Point } from 'electron'
import { createAnswerGuard, type AnswerGuard } from '../host/answer-guard.ts'
import { contains } from './placing.ts'

/** A key that answers is followed by its answer at once. */
const KEY_MS = 1000
const HIDDEN = 'Nothing was allowed: this window is not in sight. Open it, read the request, then answer.'
const POINTER = 'Nothing was allowed: the pointer was already here when this came up. Move it, then answer.'

/** `awaitPointer`: an allow by pointer waits until the pointer has moved, where it was inside when the window came up or moved. */
export function guardWindow(window: BrowserWindow, now: () => number, { awaitPointer }: { awaitPointer: boolean }): AnswerGuard {
  let resting: Point | null = null
  let keyAt = Number.NEGATIVE_INFINITY

  const isResting = (): boolean => {
    if (resting === null) return false
    const { x, y } = screen.getCursorScreenPoint()
    if (x === resting.x && y === resting.y) return now() - keyAt > KEY_MS
    resting = null
    return false
  }
  const guard = createAnswerGuard(now, () => {
    if (!window.isVisible() || window.isMinimized()) return HIDDEN
    return isResting() ? POINTER : null
  })
  const restart = (): void => {
    guard.restart()
    const pointer = screen.getCursorScreenPoint()
    resting = awaitPointer && contains(window.getContentBounds(), pointer) ? pointer : null
  }
  // One by one: each event has a type of its own.
  window.on('show', restart)
  window.on('restore', restart)
  window.on('move', restart)
  window.on('resize', restart)
  window.webContents.on('before-input-event', (_, { type, isAutoRepeat }) => {
    if (type === 'keyDown' && !isAutoRepeat) keyAt = now()
  })
  return { ...guard, restart }
}
