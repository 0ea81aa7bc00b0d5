// What holds for every window and every page in it, whoever made them.

import path from 'node:path'
import { app, session, shell, type WebContents, type WebPreferences } from 'electron'
import { ORIGIN } from './pages.ts'
import { openListed } from './links.ts'

export function webPreferences(preload: string): WebPreferences {
  return {
    preload: path.join(import.meta.dirname, preload),
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    contextIsolation: true,
    sandbox: true,
    webSecurity: true,
    webviewTag: false,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    navigateOnDragDrop: false,
    safeDialogs: true,
    // What is typed here is nobody's business.
    spellcheck: false,
    devTools: !app.isPackaged,
  }
}

/** Before the app is ready. */
export function secureApp(): void {
  // Chromium has no sandbox for root, and root has to say so; nobody else can do without.
  if (!(process.getuid?.() === 0 && app.commandLine.hasSwitch('no-sandbox'))) app.enableSandbox()
  // We keep no cookie or password in Chromium's store, so it has no business with the keyring.
  app.commandLine.appendSwitch('password-store', 'basic')
  // Nothing of ours is anywhere else, so no name has to be looked up.
  app.commandLine.appendSwitch('host-resolver-rules', 'MAP * ~NOTFOUND')
  // A session fetches dictionaries as soon as it exists, whatever its windows prefer.
  app.on('session-created', (created) => {
    created.setSpellCheckerLanguages([])
    created.setSpellCheckerEnabled(false)
  })
  app.on('web-contents-created', (_, contents) => secureContents(contents))
  // The default offers to go on; there is nothing of ours that could need it.
  app.on('certificate-error', (event, _contents, _url, _error, _certificate, answer) => {
    event.preventDefault()
    answer(false)
  })
}

/** Once the app is ready. */
export function secureSession(): void {
  const { defaultSession } = session
  defaultSession.setPermissionRequestHandler((_contents, _permission, answer) => answer(false))
  defaultSession.setPermissionCheckHandler(() => false)
  defaultSession.setDevicePermissionHandler(() => false)
  defaultSession.on('will-download', (event) => event.preventDefault())
  defaultSession.webRequest.onBeforeRequest(({ url }, answer) => answer({ cancel: !isOurs(url) }))
}

function isOurs(url: string): boolean {
  return url.startsWith(`${ORIGIN}/`) || url.startsWith('data:') || (!app.isPackaged && url.startsWith('devtools://'))
}

function secureContents(contents: WebContents): void {
  // WebRTC passes by both the page's policy and the filter of requests. This closes its UDP sockets; its TCP connections go through
  // the host resolver, whose rules refuse them.
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
  const refuse = (event: { preventDefault: () => void }) => event.preventDefault()
  contents.on('will-navigate', refuse)
  contents.on('will-frame-navigate', refuse)
  contents.on('will-redirect', refuse)
  contents.on('will-attach-webview', refuse)
  contents.setWindowOpenHandler(({ url }) => {
    openListed(url, (listed) => shell.openExternal(listed))
    return { action: 'deny' }
  })
}
