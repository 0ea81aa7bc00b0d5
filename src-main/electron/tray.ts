import { Menu, nativeImage, nativeTheme, Tray, type MenuItemConstructorOptions, type NativeImage } from 'electron'
import type { Host } from '../host/host.ts'
import { readDesk, type Ask } from './desk-state.ts'
import { drawAppIcon, drawIcon, type Ink, type Shape } from './icon.ts'
import { trayMenu, trayShape, trayTooltip, type TrayAct, type TrayItem } from './tray-menu.ts'

/** "12 min left" has to stay true. */
const REFRESH_MS = 20_000
/** Calls may come by the thousand; a menu need not follow each. */
const PAUSE_MS = 250

export interface TrayParts {
  host: Pick<Host, 'subscribe'>
  ask: Ask
  mono: () => number
  does: (act: TrayAct) => void
  open: () => void
}

/** Follows the host until it is destroyed. Everything in it is also in the window: some desktops show no tray. */
export function createTray({ host, ask, mono, does, open }: TrayParts): { destroy: () => void } {
  const tray = new Tray(trayImage('idle'))
  tray.on('click', open)
  let shape: Shape = 'idle'
  let menu = ''
  let busy = false
  let again = false
  let pause: NodeJS.Timeout | null = null

  const paint = () => tray.setImage(trayImage(shape))

  const refresh = async (): Promise<void> => {
    const state = await readDesk(ask)
    if (tray.isDestroyed()) return
    const next = trayShape(state)
    if (next !== shape) {
      shape = next
      paint()
    }
    tray.setToolTip(trayTooltip(state))
    const items = trayMenu(state, mono())
    // Setting a menu closes the one that is open, so only when it differs.
    const text = JSON.stringify(items)
    if (text === menu) return
    menu = text
    tray.setContextMenu(Menu.buildFromTemplate(items.map((item) => menuItem(item, does))))
  }

  const refreshSoon = (): void => {
    again = busy
    if (busy) return
    busy = true
    void refresh().finally(() => {
      pause = setTimeout(() => {
        busy = false
        if (again) refreshSoon()
      }, PAUSE_MS)
    })
  }

  const unsubscribe = host.subscribe('window', null, refreshSoon)
  const timer = setInterval(refreshSoon, REFRESH_MS)
  nativeTheme.on('updated', paint)
  refreshSoon()

  return {
    destroy: () => {
      unsubscribe()
      clearInterval(timer)
      if (pause !== null) clearTimeout(pause)
      nativeTheme.off('updated', paint)
      tray.destroy()
    },
  }
}

function menuItem(item: TrayItem, does: (act: TrayAct) => void): MenuItemConstructorOptions {
  switch (item.is) {
    case 'line':
      return { type: 'separator' }
    case 'text':
      return { label: plain(item.label), enabled: false }
    case 'act':
      return { label: plain(item.label), click: () => does(item.does) }
    case 'menu':
      if (item.items.length === 0) return { label: plain(item.label), enabled: false }
      return { label: plain(item.label), submenu: item.items.map((inner) => menuItem(inner, does)) }
  }
}

/** An & would mark a key, and vanish. */
const plain = (label: string): string => label.replaceAll('&', '&&')

function trayImage(shape: Shape): NativeImage {
  const image = nativeImage.createEmpty()
  const { size, ink } = trayLook()
  for (const scaleFactor of [1, 2]) image.addRepresentation({ scaleFactor, buffer: drawIcon(shape, size * scaleFactor, ink) })
  image.setTemplateImage(process.platform === 'darwin')
  return image
}

const isGnome = process.env['XDG_CURRENT_DESKTOP']?.includes('GNOME') ?? false

function trayLook(): { size: number; ink: Ink } {
  const dark: Ink = { colour: [0, 0, 0], edge: false }
  const light: Ink = { colour: [255, 255, 255], edge: false }
  switch (process.platform) {
    case 'darwin':
      return { size: 18, ink: dark } // A template: the system inks it.
    case 'win32':
      return { size: 16, ink: nativeTheme.shouldUseDarkColorsForSystemIntegratedUI ? light : dark }
    default:
      // Panels tell nobody their colour. GNOME's is always dark, others follow the theme; the edge serves where this is wrong.
      return { size: 22, ink: { ...(isGnome || nativeTheme.shouldUseDarkColors ? light : dark), edge: true } }
  }
}

/** The icon of windows and notifications. */
export function appIcon(): NativeImage {
  return nativeImage.createFromBuffer(drawAppIcon(128))
}
