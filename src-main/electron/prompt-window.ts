// The window that asks. It comes up beside the pointer's way, above everything, and never takes the focus by itself.

import { BrowserWindow, screen, type NativeImage } from 'electron'
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
  window.webContents.ipc.on(FIT, ({ senderFrame }, height: unknown) => {
    // What a page says as it goes may come after its window has gone.
    if (window.isDestroyed()) return
    if (senderFrame === window.webContents.mainFrame && typeof height === 'number') fit(window, height)
  })
  void window.loadURL(addressOf('prompt.html'))

  return {
    isVisible: () => window.isVisible(),
    show: ({ focus }) => {
      if (!window.isVisible()) moveAwayFromPointer(window)
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

/** As high as what it shows, within reason. It grows downwards, or upwards where it stands at the foot of the display. */
function fit(window: BrowserWindow, wanted: number): void {
  const bounds = window.getContentBounds()
  const { workArea } = screen.getDisplayMatching(bounds)
  const height = Math.ceil(Math.min(wanted, workArea.height * SHARE_OF_DISPLAY))
  // Also when it is no number at all.
  if (height === bounds.height || !(height >= LEAST_HEIGHT)) return
  const low = bounds.y + bounds.height / 2 > workArea.y + workArea.height / 2
  window.setContentBounds({ ...bounds, y: low ? bounds.y + bounds.height - height : bounds.y, height })
}

function moveAwayFromPointer(window: BrowserWindow): void {
  const pointer = screen.getCursorScreenPoint()
  const { workArea } = screen.getDisplayNearestPoint(pointer)
  const { width, height } = window.getBounds()
  const { x, y } = placePrompt(pointer, workArea, { width, height })
  window.setPosition(x, y)
}
