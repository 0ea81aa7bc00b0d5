// Everything around a running host: its windows, the prompt, the tray, notifications and the lock.

import path from 'node:path'
import { app, Notification } from 'electron'
import { systemClock } from '../adapters/clock.ts'
import { messageOf } from '../host/errors.ts'
import type { Host } from '../host/host.ts'
import { askAsWindow } from './desk-state.ts'
import { serveIpc } from './ipc.ts'
import { onLocked } from './locking.ts'
import { createMainWindow, type Screen } from './main-window.ts'
import { createNotifier } from './notifier.ts'
import { servePages } from './pages.ts'
import { createPromptWindow } from './prompt-window.ts'
import { watchApprovals } from './prompter.ts'
import type { TrayAct } from './tray-menu.ts'
import { appIcon, createTray } from './tray.ts'

export interface Desk {
  /** Brings the main window forward. */
  show: (screen?: Screen) => void
  leave: () => void
}

export async function openDesk(host: Host, folder: string): Promise<Desk> {
  await servePages(path.join(import.meta.dirname, 'renderer'))
  const ask = askAsWindow(host)
  const ipc = serveIpc(host)
  const icon = appIcon()
  const window = createMainWindow({ folder, ipc, icon, mono: systemClock.mono })
  const promptWindow = createPromptWindow({ ipc, icon, mono: systemClock.mono })
  const notifier = createNotifier({
    create: (options, on) => {
      if (!Notification.isSupported()) return null
      const notification = new Notification({ ...options, icon })
      if (on !== undefined) notification.on('click', on.click).on('close', on.close)
      return notification
    },
    wanted: () => wants('notifications'),
    onClick: () => prompter.show(),
  })
  const prompter = watchApprovals({
    host,
    window: promptWindow,
    onNew: (approval) => void notifier.ask(approval).catch(tell),
    onEnded: notifier.end,
    onTrouble: tell,
  })
  const tray = createTray({ host, ask, mono: systemClock.mono, open: () => window.show(), does: (act) => void doTrayAct(act).catch(tell) })
  const stopLocking = onLocked(() => {
    // While the vault is not open there is no grant to drop.
    if (host.status().state === 'open') void lock().catch(tell)
  })

  async function wants(setting: 'notifications' | 'lockOnSleep'): Promise<boolean> {
    return (await ask('settings.get', {}))[setting]
  }

  async function lock(): Promise<void> {
    if (await wants('lockOnSleep')) await ask('host.lock', {})
  }

  function tell(error: unknown): void {
    notifier.tell(messageOf(error))
  }

  async function doTrayAct(act: TrayAct): Promise<void> {
    switch (act.act) {
      case 'answer':
        return prompter.show()
      case 'revoke':
        return void (await ask('grants.revoke', { id: act.grant }))
      case 'pause':
        return void (await ask('host.pause', { minutes: act.minutes }))
      case 'resume':
        return void (await ask('host.resume', {}))
      case 'open':
        return window.show(act.screen)
      case 'quit':
        return app.quit()
    }
  }

  return {
    show: window.show,
    leave: () => {
      stopLocking()
      prompter.stop()
      tray.destroy()
      window.leave()
    },
  }
}
