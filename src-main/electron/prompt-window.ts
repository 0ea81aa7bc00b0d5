// The window that asks. It comes up beside the pointer's way, above everything, and never takes the focus by itself.

import { BrowserWindow, screen, type NativeImage, type Point } from 'electron'
import { FIT } from './channels.ts'
import type { Door, Ipc } from './ipc.ts'
import { addressOf } from './pages.ts'
import { placePrompt } from './placing.ts'
import { reloadAfterCrash } from './reviving.ts'
import { webPreferences } from './security.ts'

const WIDTH = 460
const FIRST_HEIGHT = 260
const LEAST_HEIGHT = 60
const SHARE_OF_DISPLAY = 0.9
/** So soon after it came up nobody has dragged it away: that was a window manager which had yet to hear that it was hidden. */
const SETTLING_MS = 1000
/** Where one insists on another place, it has it. */
const MOST_CORRECTIONS = 3

export interface PromptWindow {
  isVisible: () => boolean
  /** Comes up without the focus, unless the person asked for it. */
  show: (options: { focus: boolean }) => void
  hide: () => void
  /** Its page has been loaded anew: what it showed is gone, and so is its guard. */
  onPageLoaded: (listener: () => void) => void
  /** The person closed it: later. */
  onLaidAside: (listener: () => void) => void
  destroy: () => void
}

interface Parts {
  ipc: Ipc
  icon: NativeImage
  objection: NonNullable<Door['objection']>
}

export function createPromptWindow({ ipc, icon, objection }: Parts): PromptWindow {
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
  ipc.admit(window.webContents, { access: 'prompt', page: 'prompt.html', objection })
  reloadAfterCrash(window)
  /** Where it was put when it came up. */
  let place = { x: 0, y: 0, until: 0, corrections: 0 }
  window.webContents.ipc.on(FIT, ({ senderFrame }, height: unknown) => {
    // What a page says as it goes may come after its window has gone.
    if (window.isDestroyed()) return
    if (senderFrame === window.webContents.mainFrame && typeof height === 'number') place.y += fit(window, height)
  })
  window.on('move', () => {
    const [x, y] = window.getPosition()
    const isPut = x === place.x && y === place.y
    if (isPut || performance.now() > place.until || ++place.corrections > MOST_CORRECTIONS) return
    window.setPosition(place.x, place.y)
  })
  void window.loadURL(addressOf('prompt.html'))

  return {
    isVisible: () => window.isVisible(),
    show: ({ focus }) => {
      if (!window.isVisible()) place = { ...moveAwayFromPointer(window), until: performance.now() + SETTLING_MS, corrections: 0 }
      if (focus) window.show()
      else window.showInactive()
      // Some window managers forget it while a window is hidden.
      window.setAlwaysOnTop(true, 'screen-saver')
      window.moveTop()
    },
    hide: () => putAway(window),
    onPageLoaded: (listener) => window.webContents.on('did-finish-load', listener),
    onLaidAside: (listener) =>
      window.on('close', (event) => {
        event.preventDefault()
        putAway(window)
        listener()
      }),
    destroy: () => window.destroy(),
  }
}

/** Hidden with the focus, it would hear of none again under X11, and the keys of the next question would go nowhere. */
function putAway(window: BrowserWindow): void {
  window.blur()
  window.hide()
}

/** As high as what it shows, within reason. It grows downwards, or upwards where it stands at the foot of the display. Returns how far down it went. */
function fit(window: BrowserWindow, wanted: number): number {
  const bounds = window.getContentBounds()
  const { workArea } = screen.getDisplayMatching(bounds)
  const height = Math.ceil(Math.min(wanted, workArea.height * SHARE_OF_DISPLAY))
  // Also when it is no number at all.
  if (height === bounds.height || !(height >= LEAST_HEIGHT)) return 0
  const low = bounds.y + bounds.height / 2 > workArea.y + workArea.height / 2
  const down = low ? bounds.height - height : 0
  window.setContentBounds({ ...bounds, y: bounds.y + down, height })
  return down
}

function moveAwayFromPointer(window: BrowserWindow): Point {
  const pointer = screen.getCursorScreenPoint()
  const { workArea } = screen.getDisplayNearestPoint(pointer)
  const { width, height } = window.getBounds()
  const { x, y } = placePrompt(pointer, workArea, { width, height })
  window.setPosition(x, y)
  return { x, y }
}
