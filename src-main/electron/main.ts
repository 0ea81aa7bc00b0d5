// The desktop shell: the same host as the headless one, with windows, a tray and notifications around it.

// oxlint-disable-next-line import/no-unassigned-import -- It has to run before anything else, and that is all it does.
import './first-line.ts'
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { app, dialog, Menu } from 'electron'
import { systemClock } from '../adapters/clock.ts'
import { writeStartCommand } from '../adapters/start-command.ts'
import { messageOf } from '../host/errors.ts'
import type { Host } from '../host/host.ts'
import { handOver, openHost, preparePlace, type Place } from '../shell/open-host.ts'
import { createDesktop, startCommand } from './desktop.ts'
import { askAsWindow } from './desk-state.ts'
import { serveIpc } from './ipc.ts'
import { forkKeychain } from './keychain-utility.ts'
import { onLocked } from './locking.ts'
import { createMainWindow, type MainWindow } from './main-window.ts'
import { createNotifier } from './notifier.ts'
import { declareScheme, servePages } from './pages.ts'
import { createPromptWindow } from './prompt-window.ts'
import { createAnswerGuard, watchApprovals } from './prompter.ts'
import { secureApp, secureSession } from './security.ts'
import type { TrayAct } from './tray-menu.ts'
import { appIcon, createTray } from './tray.ts'

const here = import.meta.dirname
const hidden = process.argv.includes('--hidden')

async function run(): Promise<void> {
  const place = preparePlace(process.env)
  leaveNoMemoryBehind()
  // Chromium's own files; also what makes the single instance one per folder.
  app.setPath('userData', path.join(place.folder, 'desktop'))
  secureApp()
  declareScheme()
  let desk: Desk | null = null
  // The instance that is there hears of every later start.
  if (!app.requestSingleInstanceLock()) return app.exit(0)
  app.on('second-instance', () => desk?.show())
  app.on('activate', () => desk?.show())
  // Without a window we live on in the tray.
  app.on('window-all-closed', () => {})
  await app.whenReady()
  desk = await openDesk(place, () => desk?.show())
  if (desk === null) app.exit(0)
}

interface Desk {
  show: () => void
}

async function openDesk(place: Place, show: () => void): Promise<Desk | null> {
  const firstRun = !existsSync(path.join(place.folder, 'vault.db')) && !existsSync(path.join(place.folder, 'sealed.db'))
  const desktop = createDesktop()
  const host = await openHost(place, {
    programs: here,
    env: process.env,
    restoreDailyCopy: process.argv.includes('--restore-daily-copy'),
    show,
    shell: desktop,
    forkKeychain,
  })
  if (host === null) {
    await handOver(place.socket)
    process.stdout.write('Countersign is already running.\n')
    return null
  }
  secureSession()
  await servePages(path.join(here, 'renderer'))
  Menu.setApplicationMenu(
    process.platform === 'darwin' ? Menu.buildFromTemplate([{ role: 'appMenu' }, { role: 'editMenu' }, { role: 'windowMenu' }]) : null,
  )
  const [command = process.execPath, ...args] = startCommand()
  writeStartCommand(place.folder, command, args, process.env)

  const ask = askAsWindow(host)
  const ipc = serveIpc(host)
  const icon = appIcon()
  const window = createMainWindow({ folder: place.folder, ipc, icon })
  const guard = createAnswerGuard(() => performance.now())
  const promptWindow = createPromptWindow({ ipc, icon, objection: guard.objection })
  const notifier = createNotifier({ icon, wanted: () => wants('notifications'), onClick: () => prompter.show() })
  const prompter = watchApprovals({
    host,
    window: promptWindow,
    guard,
    onNew: (approval) => void notifier.ask(approval).catch(report),
    onEnded: notifier.end,
  })
  const tray = createTray({
    host,
    ask,
    mono: systemClock.mono,
    open: () => window.show(),
    does: (act) => void doTrayAct(act).catch(report),
  })
  const stopLocking = onLocked(() => {
    // While the vault is not open there is no grant to drop.
    if (host.status().state === 'open') void lock().catch(report)
  })

  async function wants(setting: 'notifications' | 'lockOnSleep'): Promise<boolean> {
    return (await ask('settings.get', {}))[setting]
  }

  function report(error: unknown): void {
    notifier.tell(messageOf(error))
  }

  async function lock(): Promise<void> {
    if (await wants('lockOnSleep')) await ask('host.lock', {})
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

  leaveWell(host, () => {
    stopLocking()
    prompter.stop()
    tray.destroy()
    window.leave()
    return desktop.leave()
  })
  openFirstWindow(window, host, firstRun)
  return { show: () => window.show() }
}

/** At login nobody asked for a window, but a vault that needs a passphrase needs the person. */
function openFirstWindow(window: MainWindow, host: Host, firstRun: boolean): void {
  const needsPerson = host.status().state !== 'open'
  if (!hidden || needsPerson) window.show(firstRun ? 'welcome' : undefined)
}

/** However we are told to go, what is pending is denied and the log closed first. */
function leaveWell(host: Host, before: () => Promise<void>): void {
  let leaving = false
  app.on('before-quit', (event) => {
    event.preventDefault()
    if (leaving) return
    leaving = true
    void before()
      .then(() => host.close('quit'))
      .then(
        () => app.exit(0),
        () => app.exit(1),
      )
  })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => app.quit())
}

/** No core file of ours or of any process we start may hold a value. */
function leaveNoMemoryBehind(): void {
  try {
    writeFileSync('/proc/self/coredump_filter', '0')
  } catch {
    // Not Linux, or no /proc.
  }
}

run().catch((error: unknown) => {
  const message = messageOf(error)
  process.stderr.write(`countersign: ${message}\n`)
  if (app.isReady()) dialog.showErrorBox('Countersign cannot start', message)
  app.exit(1)
})
