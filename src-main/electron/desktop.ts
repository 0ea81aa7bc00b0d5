// What this shell can do for the host's windows.

import os from 'node:os'
import path from 'node:path'
import { app, clipboard, dialog } from 'electron'
import type { Shell } from '../host/ports.ts'
import { autostartFile, type Autostart } from './autostart-file.ts'

const CLEAR_AFTER_MS = 30_000

export function createDesktop(): Shell & { leave: () => Promise<void> } {
  const clipboardHold = holdSecrets()
  return {
    autostart: process.platform === 'linux' ? autostartFile(process.env, os.homedir(), startCommand()) : loginItem(),
    copy: (text, kind) => (kind === 'secret' ? clipboardHold.put(text) : clipboard.writeText(text)),
    chooseFile: async (mode, suggested) => {
      if (mode === 'save') return (await dialog.showSaveDialog({ defaultPath: suggested })).filePath || null
      return (await dialog.showOpenDialog({ properties: ['openFile'] })).filePaths[0] ?? null
    },
    leave: clipboardHold.clear,
  }
}

/** How this app is started without a window. */
export function startCommand(): string[] {
  const program = process.env['APPIMAGE'] ?? process.execPath
  const script = app.isPackaged ? [] : [path.join(import.meta.dirname, 'desktop.js')]
  const asRoot = app.commandLine.hasSwitch('no-sandbox') ? ['--no-sandbox'] : []
  return [program, ...script, ...asRoot, '--hidden']
}

function loginItem(): Autostart {
  const [program = process.execPath, ...args] = startCommand()
  // A Mac is told by the app itself, Windows by program and arguments.
  const item = process.platform === 'win32' ? { path: program, args } : {}
  return {
    isOn: () => app.getLoginItemSettings(item).openAtLogin,
    set: (on) => app.setLoginItemSettings({ ...item, openAtLogin: on }),
  }
}

/** Puts a secret on the clipboard and takes it off again after a while, unless something else is there by then. */
function holdSecrets(): { put: (secret: string) => Promise<void>; clear: () => Promise<void> } {
  let held: { secret: string; timer: NodeJS.Timeout } | null = null
  const clear = async () => {
    if (held === null) return
    const { secret, timer } = held
    held = null
    clearTimeout(timer)
    if ((await clipboard.readText()) === secret) clipboard.clear()
  }
  return {
    put: async (secret) => {
      await clear()
      await clipboard.writeText(secret)
      held = { secret, timer: setTimeout(() => void clear(), CLEAR_AFTER_MS) }
    },
    clear,
  }
}
