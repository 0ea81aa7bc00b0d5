// The window that asks. It takes the size of its question before it comes up, comes up where the pointer is not, above everything, and
// never takes the focus by itself.

import { BrowserWindow, screen, type NativeImage } from 'electron'
import type { AnswerGuard } from '../host/answer-guard.ts'
import { FIT } from './channels.ts'
import type { Ipc } from './ipc.ts'
import { addressOf } from './pages.ts'
import { isNear, placePrompt, type Area, type Size } from './placing.ts'
import { reloadAfterCrash } from './reviving.ts'
import { webPreferences } from './security.ts'
import { guardWindow } from './window-guard.ts'

const WIDTH = 460
const FIRST_HEIGHT = 260
const LEAST_HEIGHT = 60
const SHARE_OF_DISPLAY = 0.9
/** So soon after it came up nobody has dragged it away: that was a window manager which had yet to hear that it was hidden. */
const SETTLING_MS = 1000
/** Where one insists on another place, it has it. */
const MOST_CORRECTIONS = 3
/** A page that has not measured its question by then hangs or is gone. The question has to be seen nevertheless. */
const MEASURING_MS = 1000

export interface PromptWindow {
  isVisible: () => boolean
  /** Comes up as soon as its page has measured this request, without the focus unless the person asked for it. */
  show: (options: { focus: boolean; request: string }) => void
  hide: () => void
  /** Its page has been loaded anew: what it showed is gone. */
  onPageLoaded: (listener: () => void) => void
  /** The person closed it: later. */
  onLaidAside: (listener: () => void) => void
  destroy: () => void
}

interface Parts {
  ipc: Ipc
  icon: NativeImage
  mono: () => number
}

export function createPromptWindow({ ipc, icon, mono }: Parts): PromptWindow {
  const window = new BrowserWindow({
    width: WIDTH,
    height: FIRST_HEIGHT,
    useContentSize: true,
    title: 'Countersign asks',
    icon,
    show: false,
    // Otherwise the page counts as seen before it is, and its guard would have run out by then.
    paintWhenInitiallyHidden: false,
    alwaysOnTop: true,
    skipTaskbar: true,
    resizable: false,
    minimizable: false,
    maximizable: false,
    fullscreenable: false,
    webPreferences: webPreferences('prompt-preload.js'),
  })
  window.setAlwaysOnTop(true, 'screen-saver')
  window.setVisibleOnAllWorkspaces(true, { visibleOnFullScreen: true, skipTransformProcessType: true })
  window.setMenuBarVisibility(false)
  const guard = guardWindow(window, mono, { awaitPointer: true })
  ipc.admit(window.webContents, { access: 'prompt', page: 'prompt.html', guard })
  reloadAfterCrash(window)
  const place = keepPlace(window)
  /** The request that the page has measured last. */
  let measured = ''
  /** Waits to be measured. */
  let coming: { focus: boolean; request: string; timer: NodeJS.Timeout } | null = null

  window.webContents.ipc.on(FIT, ({ senderFrame }, height: unknown, request: unknown) => {
    // What a page says as it goes may come after its window has gone.
    if (window.isDestroyed() || senderFrame !== window.webContents.mainFrame) return
    if (typeof height !== 'number' || typeof request !== 'string') return
    measured = request
    place.fit(height, guard)
    if (coming?.request === measured) comeUp()
  })
  window.webContents.on('render-process-gone', () => {
    measured = ''
  })
  void window.loadURL(addressOf('prompt.html'))

  function comeUp(): void {
    const focus = coming?.focus ?? false
    stopComing()
    if (!window.isVisible()) place.moveAwayFromPointer()
    guard.restart()
    if (focus) window.show()
    else window.showInactive()
    // Some window managers forget it while a window is hidden.
    window.setAlwaysOnTop(true, 'screen-saver')
    window.moveTop()
  }

  function stopComing(): void {
    if (coming !== null) clearTimeout(coming.timer)
    coming = null
  }

  /** Hidden with the focus, it would hear of none again under X11, and the keys of the next question would go nowhere. */
  function putAway(): void {
    stopComing()
    place.remember()
    window.blur()
    window.hide()
  }

  return {
    isVisible: () => window.isVisible(),
    show: ({ focus, request }) => {
      const { focus: wantedFocus = false, timer = setTimeout(comeUp, MEASURING_MS) } = coming ?? {}
      coming = { focus: focus || wantedFocus, request, timer }
      if (window.isVisible() || request === measured) comeUp()
    },
    hide: putAway,
    onPageLoaded: (listener) => window.webContents.on('did-finish-load', listener),
    onLaidAside: (listener) =>
      window.on('close', (event) => {
        event.preventDefault()
        putAway()
        listener()
      }),
    destroy: () => {
      stopComing()
      window.destroy()
    },
  }
}

/** Where the window stands and how large it is, as we set it: what it tells of itself is rounded where a pixel is half a point. */
function keepPlace(window: BrowserWindow) {
  let place = { x: 0, y: 0, height: FIRST_HEIGHT, until: 0, corrections: 0 }
  let former = { x: Number.NaN, y: Number.NaN }

  const frame = (): Size => {
    const [outer, inner] = [window.getBounds(), window.getContentBounds()]
    return { width: outer.width - inner.width, height: outer.height - inner.height }
  }
  const sizeAt = (height: number): Size => ({ width: WIDTH + frame().width, height: height + frame().height })
  const setPosition = () => window.setPosition(place.x, place.y)
  const moveAway = (): void => {
    const pointer = screen.getCursorScreenPoint()
    const { workArea } = screen.getDisplayNearestPoint(pointer)
    place = { ...place, ...placePrompt(pointer, workArea, sizeAt(place.height)), until: performance.now() + SETTLING_MS, corrections: 0 }
    setPosition()
  }

  window.on('move', () => {
    const [x = 0, y = 0] = window.getPosition()
    if (x === place.x && y === place.y) return
    // Where it stood before it was hidden it comes to by a late window manager alone, however late.
    const isPutBack = performance.now() <= place.until || (x === former.x && y === former.y)
    if (isPutBack && ++place.corrections <= MOST_CORRECTIONS) setPosition()
    else place = { ...place, x, y }
  })

  return {
    moveAwayFromPointer: moveAway,
    /** Where it stands now, before it is hidden. */
    remember: () => {
      former = { x: place.x, y: place.y }
    },
    /**
     * As high as what it shows, within reason. In sight it grows downwards, or upwards where it stands at the foot of the display; where
     * that would bring it to the pointer, it goes elsewhere.
     */
    fit: (wanted: number, guard: AnswerGuard): void => {
      const { workArea } = screen.getDisplayMatching(window.getBounds())
      const height = Math.ceil(Math.min(wanted, workArea.height * SHARE_OF_DISPLAY))
      // Also when it is no number at all.
      if (height === place.height || !(height >= LEAST_HEIGHT)) return
      const before: Area = { x: place.x, y: place.y, ...sizeAt(place.height) }
      const isLow = before.y + before.height / 2 > workArea.y + workArea.height / 2
      const y = isLow ? place.y + place.height - height : place.y
      const after: Area = { x: place.x, y, ...sizeAt(height) }
      place = { ...place, y, height }
      window.setContentSize(WIDTH, height)
      if (!window.isVisible()) return
      const pointer = screen.getCursorScreenPoint()
      if (isNear(pointer, after) && !isNear(pointer, before)) moveAway()
      else if (isLow) setPosition()
      guard.restart()
    },
  }
}
