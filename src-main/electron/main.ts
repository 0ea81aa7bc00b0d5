// The desktop shell: the same host as the headless one, with windows, a tray and notifications around it. Becomes dist/desktop.js.

// oxlint-disable-next-line import/no-unassigned-import -- It has to run before anything else, and that is all it does.
import './first-line.ts'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { app, dialog, Menu } from 'electron'
import { writeStartCommand } from '../adapters/start-command.ts'
import { createClosing } from '../host/closing.ts'
import { messageOf } from '../host/errors.ts'
import { serveHttp } from '../shell/http.ts'
import { handOver, openHost, preparePlace, type Place } from '../shell/open-host.ts'
import { keepStartCommand } from '../shell/keep-start-command.ts'
import { reportBug } from '../shell/report-bug.ts'
import { SCHEME, screenAsked } from './addresses.ts'
import { bridgeProgram } from './bridge-program.ts'
import { openDesk, type Desk } from './desk.ts'
import { createDesktop, startCommand } from './desktop.ts'
import { forkKeychain } from './keychain-utility.ts'
import { declareScheme } from './pages.ts'
import { secureApp, secureSession } from './security.ts'

async function run(): Promise<void> {
  const place = preparePlace(process.env)
  // Chromium's own files; also what makes the single instance one per folder.
  app.setPath('userData', path.join(place.folder, 'desktop'))
  secureApp()
  declareScheme()
  // The instance that is there hears of every later start.
  if (!app.requestSingleInstanceLock()) return app.exit(0)
  let desk: Desk | null = null
  const show = () => desk?.show()
  app.on('second-instance', (_, argv) => desk?.show(screenAsked(argv)))
  app.on('open-url', (event, address) => {
    event.preventDefault()
    desk?.show(screenAsked([address]))
  })
  app.on('activate', show)
  // Without a window we live on in the tray.
  app.on('window-all-closed', () => {})
  await app.whenReady()
  secureSession()
  Menu.setApplicationMenu(applicationMenu())
  // Elsewhere the package says so.
  if (app.isPackaged && process.platform === 'win32') app.setAsDefaultProtocolClient(SCHEME)
  const starting = start(place, show)
  // From the first moment: told to go between its first window and the last of its parts, it would otherwise stay.
  leaveWell(async () => (await starting)?.leave())
  desk = (await starting)?.desk ?? null
}

interface Running {
  desk: Desk
  leave: () => Promise<void>
}

/** Null where another host has the folder; then we are leaving already. */
async function start(place: Place, show: () => void): Promise<Running | null> {
  const isFirst = !['vault.db', 'sealed.db'].some((file) => existsSync(path.join(place.folder, file)))
  const desktop = createDesktop()
  const host = await openHost(place, {
    programs: import.meta.dirname,
    env: process.env,
    recover: process.argv.includes('--restore-daily-copy') ? 'daily copy' : null,
    show,
    shell: desktop,
    forkKeychain,
    ...(app.isPackaged ? { bridge: packagedBridge(place.folder) } : {}),
  })
  if (host === null) {
    await handOver(place.socket)
    process.stdout.write('Countersign is already running.\n')
    app.exit(0)
    return null
  }
  const [command = process.execPath, ...args] = startCommand()
  keepStartCommand(() => writeStartCommand(place.folder, command, args, process.env), reportBug)
  const desk = await openDesk(host, place.folder)
  const endpoint = await serveHttp(host)
  // At login nobody asked for a window, but a vault that needs a passphrase needs the person.
  const isWanted = !process.argv.includes('--hidden') || host.status().state !== 'open'
  if (isWanted) desk.show(isFirst ? 'welcome' : screenAsked(process.argv))
  const closing = createClosing()
  closing.add(() => host.close('quit'))
  closing.add(endpoint.close)
  closing.add(() => desktop.leave())
  closing.add(() => desk.leave())
  return { desk, leave: closing.close }
}

function packagedBridge(folder: string): string {
  const { resourcesPath, platform, env } = process
  return bridgeProgram({ resources: resourcesPath, folder, platform, appImage: env['APPIMAGE'] })
}

/** However we are told to go, what is pending is denied and the log closed first. */
function leaveWell(leave: () => Promise<void>): void {
  let leaving = false
  app.on('before-quit', (event) => {
    event.preventDefault()
    if (leaving) return
    leaving = true
    // What cannot close must not keep a host alive that is told to go.
    setTimeout(() => app.exit(1), LEAVE_MS).unref()
    leave().then(
      () => app.exit(mistaken ? 1 : 0),
      (error: unknown) => {
        reportBug(error)
        app.exit(1)
      },
    )
  })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => app.quit())
}

/** Only a Mac has one for the whole app; without it there would be no keys for copy and paste. */
function applicationMenu(): Menu | null {
  if (process.platform !== 'darwin') return null
  return Menu.buildFromTemplate([{ role: 'appMenu' }, { role: 'editMenu' }, { role: 'windowMenu' }])
}

const LEAVE_MS = 20_000
let mistaken = false

/** As it ends a headless host: what goes on after a mistake nobody thought of goes on in a state nobody thought of. */
function leaveAfterMistake(error: unknown): void {
  reportBug(error)
  if (mistaken) return
  mistaken = true
  app.quit()
}

// Electron's own answer to a mistake of ours is a dialog, and until somebody closes it nobody is served.
process.on('uncaughtException', leaveAfterMistake)
process.on('unhandledRejection', leaveAfterMistake)

run().catch((error: unknown) => {
  const message = messageOf(error)
  process.stderr.write(`countersign: ${message}\n`)
  if (app.isReady()) dialog.showErrorBox('Countersign cannot start', message)
  app.exit(1)
})
