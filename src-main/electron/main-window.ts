import path from 'node:path'
import { BrowserWindow, screen } from 'electron'
import { readPrivateFile, writePrivateFile } from '../adapters/private-file.ts'
import type { Ipc } from './ipc.ts'
import { addressOf } from './pages.ts'
import { fitInto, type Area } from './placing.ts'
import { reloadAfterCrash } from './reviving.ts'
import { webPreferences } from './security.ts'
import { guardWindow } from './window-guard.ts'

const LEAST = { width: 720, height: 480 }
const FIRST = { width: 1120, height: 720 }

export const SCREENS = ['welcome', 'audit', 'secrets', 'policies', 'clients', 'settings'] as const
export type Screen = (typeof SCREENS)[number]

export interface MainWindow {
  /** Opens it, or brings it forward; at `screen`, if one is named. */
  show: (screen?: Screen) => void
  /** Before the app ends. */
  leave: () => void
}

interface Parts {
  folder: string
  ipc: Ipc
  icon: Electron.NativeImage
  mono: () => number
}

/** The person's window. It exists only while it is open. */
export function createMainWindow({ folder, ipc, icon, mono }: Parts): MainWindow {
  const file = path.join(folder, 'window.json')
  let window: BrowserWindow | null = null

  const open = (screen: Screen | undefined): void => {
    const place = recallPlace(file)
    const opened = new BrowserWindow({
      ...FIRST,
      ...place?.area,
      minWidth: LEAST.width,
      minHeight: LEAST.height,
      title: 'Countersign',
      icon,
      show: false,
      backgroundColor: '#00000000',
      webPreferences: webPreferences('window-preload.js'),
    })
    window = opened
    ipc.admit(opened.webContents, { access: 'window', page: 'index.html', guard: guardWindow(opened, mono, { awaitPointer: false }) })
    reloadAfterCrash(opened)
    if (place?.maximized) opened.maximize()
    opened.once('ready-to-show', () => opened.show())
    opened.on('close', () => rememberPlace(file, opened))
    opened.on('closed', () => {
      window = null
    })
    void opened.loadURL(at(screen))
  }

  return {
    leave: () => {
      if (window !== null) rememberPlace(file, window)
    },
    show: (screen) => {
      if (window === null) return open(screen)
      // A change behind the # moves within the page; nothing is loaded anew.
      if (screen !== undefined) void window.loadURL(at(screen))
      if (window.isMinimized()) window.restore()
      window.show()
      window.focus()
    },
  }
}

const at = (screen: Screen | undefined): string => `${addressOf('index.html')}${screen === undefined ? '' : `#/${screen}`}`

function rememberPlace(file: string, window: BrowserWindow): void {
  writePrivateFile(file, JSON.stringify({ area: window.getNormalBounds(), maximized: window.isMaximized() }))
}

/** Null where nothing usable is remembered: the first size then, wherever the desktop puts it. */
function recallPlace(file: string): { area: Area; maximized: boolean } | null {
  const text = readPrivateFile(file)
  if (text === null) return null
  try {
    const { area, maximized } = JSON.parse(text) as { area: Area; maximized: boolean }
    const numbers = [area.x, area.y, area.width, area.height]
    if (!numbers.every(Number.isInteger)) return null
    const fitting = fitInto(
      area,
      screen.getAllDisplays().map((display) => display.workArea),
    )
    return fitting === null ? null : { area: fitting, maximized }
  } catch {
    return null // Cut short or edited: it is only a size.
  }
}
