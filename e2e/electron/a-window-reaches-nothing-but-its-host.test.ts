import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { BrowserWindow } from 'electron'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Desktop as DesktopLink } from '../../src-shared/desktop.ts'
import { startDesktop, type Desktop } from '../support/desktop.ts'
import { dist } from '../support/host.ts'
import { startScreen, type Screen } from '../support/screen.ts'

let screen: Screen
let desktop: Desktop
const home = mkdtempSync(path.join(tmpdir(), 'countersign-e2e-'))

beforeAll(async () => {
  screen = await startScreen()
  desktop = await startDesktop({ home, screen })
})

afterAll(async () => {
  await desktop.kill()
  await screen.close()
  rmSync(home, { recursive: true, force: true })
})

const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const windows = (): [string, Page][] => [
  ['main window', desktop.main],
  ['prompt', desktop.prompt],
]

test('every window is isolated, sandboxed and without Node', async () => {
  const all = await desktop.app.evaluate(({ BrowserWindow, webContents }) => ({
    windows: BrowserWindow.getAllWindows().length,
    contents: webContents.getAllWebContents().length,
    // Not in the public types, but the only way to see what a window really runs with.
    preferences: BrowserWindow.getAllWindows().map((window) =>
      (window.webContents as unknown as { getLastWebPreferences: () => Record<string, unknown> }).getLastWebPreferences(),
    ),
  }))
  expect(all.windows).toBe(2)
  expect(all.contents).toBe(2)
  for (const preferences of all.preferences) {
    expect(preferences).toMatchObject({
      nodeIntegration: false,
      nodeIntegrationInSubFrames: false,
      contextIsolation: true,
      sandbox: true,
      webSecurity: true,
      webviewTag: false,
      allowRunningInsecureContent: false,
      experimentalFeatures: false,
    })
  }
  for (const [, page] of windows()) {
    expect(await page.evaluate(() => ['require', 'process', 'module', 'Buffer', 'electron'].filter((name) => name in globalThis))).toEqual(
      [],
    )
    expect(page.url()).toMatch(/^app:\/\/countersign\//)
  }
})

describe('the pages', () => {
  const get = (url: string, method = 'GET') =>
    desktop.app.evaluate(
      async ({ session }, [url, method]) => {
        const answer = await session.defaultSession.fetch(url, { method }).catch(() => null)
        if (answer === null) return { status: 404, csp: null, type: null } // Stopped before it came to the pages.
        return { status: answer.status, csp: answer.headers.get('content-security-policy'), type: answer.headers.get('content-type') }
      },
      [url, method] as const,
    )

  test('carry the policy as a header', async () => {
    for (const page of ['index.html', 'prompt.html'])
      expect(await get(`app://countersign/${page}`)).toEqual({ status: 200, csp: CSP, type: 'text/html; charset=utf-8' })
  })

  test.each([
    'app://countersign/../desktop.js',
    'app://countersign/%2e%2e/desktop.js',
    'app://countersign/..%2f..%2fpackage.json',
    'app://countersign//etc/hosts',
    'app://countersign/assets',
    'app://elsewhere/index.html',
  ])('are all there is: %s is not found', async (url) => {
    expect((await get(url)).status).toBe(404)
  })

  test('are only read', async () => {
    expect((await get('app://countersign/index.html', 'POST')).status).toBe(404)
  })
})

test('no inline script, eval, remote picture, frame or connection gets past the policy', async () => {
  for (const [, page] of windows()) {
    const outcome = await page.evaluate(async () => {
      const violated: string[] = []
      document.addEventListener('securitypolicyviolation', (event) => violated.push(event.effectiveDirective))
      const settled = (element: HTMLElement) =>
        new Promise<string>((resolve) => {
          element.addEventListener('load', () => resolve('loaded'))
          element.addEventListener('error', () => resolve('refused'))
          document.body.append(element)
          // Chromium says nothing at all about some.
          setTimeout(() => resolve('refused'), 500)
        })
      const inline = document.createElement('script')
      inline.textContent = 'globalThis.ran = true'
      document.body.append(inline)
      const holder = document.createElement('div')
      holder.innerHTML = '<img src="x" onerror="globalThis.ran = true">'
      document.body.append(holder)
      const picture = Object.assign(document.createElement('img'), { src: 'https://evil.example/a.png' })
      const remote = Object.assign(document.createElement('script'), { src: 'https://evil.example/a.js' })
      const file = Object.assign(document.createElement('img'), { src: 'file:///etc/hosts' })
      const outcomes = { picture: await settled(picture), remote: await settled(remote), file: await settled(file) }
      const fetched = await fetch('https://evil.example/').then(
        () => 'fetched',
        () => 'refused',
      )
      const own = await fetch('app://countersign/index.html').then(
        () => 'fetched',
        () => 'refused',
      )
      const evaluated = await new Promise<string>((resolve) => {
        // Outside of what the test's driver evaluates, which no policy binds.
        setTimeout(() => {
          try {
            // oxlint-disable-next-line no-eval -- That it cannot be done is what is tested.
            ;(0, eval)('1')
            resolve('ran')
          } catch (error) {
            resolve((error as Error).name)
          }
        })
      })
      const styled = document.createElement('p')
      styled.setAttribute('style', 'color: rgb(1, 2, 3)')
      document.body.append(styled)
      const colour = getComputedStyle(styled).color
      // Whatever was refused is reported a moment later.
      await new Promise((resolve) => setTimeout(resolve, 50))
      for (const element of [inline, holder, picture, remote, file, styled]) element.remove()
      return { ...outcomes, fetched, own, evaluated, colour, ran: 'ran' in globalThis, violated: [...new Set(violated)].toSorted() }
    })
    expect(outcome).toMatchObject({
      picture: 'refused',
      remote: 'refused',
      file: 'refused',
      fetched: 'refused',
      own: 'refused',
      evaluated: 'EvalError',
      ran: false,
    })
    expect(outcome.colour).not.toBe('rgb(1, 2, 3)')
    expect(outcome.violated).toEqual(
      expect.arrayContaining(['connect-src', 'img-src', 'script-src-elem', 'script-src-attr', 'style-src-attr']),
    )
  }
})

test('nothing leads away: no new window, no navigation, no webview, no dropped file', async () => {
  for (const [name, page] of windows()) {
    const before = page.url()
    const tried = await page.evaluate(async () => {
      const opened = [
        window.open('https://evil.example/'),
        window.open('about:blank'),
        window.open('file:///etc/hosts'),
        window.open('app://countersign/index.html'),
      ]
      const link = Object.assign(document.createElement('a'), { href: 'https://evil.example/', target: '_blank' })
      document.body.append(link)
      link.click()
      link.target = ''
      link.click()
      link.href = 'file:///etc/hosts'
      link.click()
      link.href = 'javascript:globalThis.ran = true'
      link.click()
      link.remove()
      const refresh = Object.assign(document.createElement('meta'), { httpEquiv: 'refresh', content: '0;url=https://evil.example/' })
      document.head.append(refresh)
      const form = Object.assign(document.createElement('form'), { action: 'https://evil.example/', method: 'post' })
      document.body.append(form)
      form.submit()
      const view = document.createElement('webview')
      view.setAttribute('src', 'https://evil.example/')
      document.body.append(view)
      const frame = Object.assign(document.createElement('iframe'), { src: 'https://evil.example/' })
      document.body.append(frame)
      location.href = 'https://evil.example/'
      await new Promise((resolve) => setTimeout(resolve, 300))
      for (const element of [refresh, form, view, frame]) element.remove()
      return { opened: opened.filter((window) => window !== null).length, ran: 'ran' in globalThis, guest: 'getWebContentsId' in view }
    })
    expect({ name, ...tried }).toEqual({ name, opened: 0, ran: false, guest: false })
    const driver = await desktop.app.context().newCDPSession(page)
    const data = { items: [{ mimeType: 'text/uri-list', data: 'file:///etc/hosts' }], files: ['/etc/hosts'], dragOperationsMask: 1 }
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await driver.send('Input.dispatchDragEvent', { type, x: 60, y: 60, data })
    await driver.detach()
    expect(await page.evaluate(() => document.querySelector('#root') !== null)).toBe(true)
    expect(page.url()).toBe(before)
  }
  expect(desktop.app.windows()).toHaveLength(2)
})

test('every permission is denied', async () => {
  await desktop.main.bringToFront()
  for (const [name, page] of windows()) {
    const asked = await page.evaluate(async () => {
      const refused = (work: Promise<unknown>) =>
        Promise.race([work, new Promise((_, reject) => setTimeout(() => reject(new Error('no answer')), 3000))]).then(
          () => 'given',
          () => 'denied',
        )
      const states: Record<string, string> = {}
      for (const permission of ['geolocation', 'notifications', 'camera', 'microphone', 'clipboard-read', 'midi', 'persistent-storage']) {
        states[permission] = await navigator.permissions.query({ name: permission as PermissionName }).then(
          ({ state }) => state,
          () => 'denied',
        )
      }
      return {
        states,
        geolocation: await refused(new Promise((resolve, reject) => navigator.geolocation.getCurrentPosition(resolve, reject))),
        notification: await Notification.requestPermission(),
        camera: await refused(navigator.mediaDevices.getUserMedia({ video: true })),
        display: await refused(navigator.mediaDevices.getDisplayMedia()),
        clipboard: await refused(navigator.clipboard.readText()),
        midi: await refused(navigator.requestMIDIAccess({ sysex: true })),
      }
    })
    expect(new Set(Object.values(asked.states)), name).toEqual(new Set(['denied']))
    expect(asked, name).toMatchObject({
      geolocation: 'denied',
      notification: 'denied',
      camera: 'denied',
      display: 'denied',
      clipboard: 'denied',
      midi: 'denied',
    })
  }
})

test('the browser is opened for listed addresses alone', async () => {
  await desktop.app.evaluate(({ shell }) => {
    const opened: string[] = []
    Object.assign(globalThis, { opened })
    // Nothing here has a browser to open.
    shell.openExternal = (url) => Promise.resolve(void opened.push(url))
  })
  await desktop.main.evaluate(() => {
    const wanted = [
      'file:///etc/hosts',
      'smb://evil/share',
      'vscode://file/etc/hosts',
      'https://evil.example/',
      'https://modelcontextprotocol.io.evil.example/',
      'https://modelcontextprotocol.io/../evil',
      'https://evil.example@modelcontextprotocol.io/',
      'http://modelcontextprotocol.io/',
      'https://modelcontextprotocol.io/',
    ]
    for (const url of wanted) window.open(url)
  })
  expect(await desktop.app.evaluate(() => (globalThis as unknown as { opened: string[] }).opened)).toEqual([
    'https://modelcontextprotocol.io/',
  ])
})

describe('a message', () => {
  /** Straight into the handler, as if a window of ours had sent it. */
  const send = (from: 'index.html' | 'prompt.html' | 'frame', message: unknown) =>
    desktop.app.evaluate(
      async ({ BrowserWindow, ipcMain }, [from, message]) => {
        const page = from === 'frame' ? 'index.html' : from
        const sender = BrowserWindow.getAllWindows().find((window) => window.webContents.getURL().includes(page))?.webContents
        const senderFrame = from === 'frame' ? sender?.mainFrame.frames[0] : sender?.mainFrame
        // Electron keeps its handlers here; nothing public calls one.
        const handlers = (ipcMain as unknown as { _invokeHandlers: Map<string, (event: unknown, message: unknown) => Promise<unknown>> })
          ._invokeHandlers
        return handlers.get('countersign:call')?.({ sender, senderFrame }, message)
      },
      [from, message] as const,
    )

  test('of another shape is refused', async () => {
    const shapes = [null, 7, 'status', [], {}, { method: 7 }, { method: ['status'] }, { method: 'status', params: {}, access: 'window' }]
    for (const shape of shapes) expect(await send('index.html', shape)).toMatchObject({ error: { code: 'bad params' } })
  })

  test('with parameters that are not in the contract is refused', async () => {
    expect(await send('index.html', { method: 'status', params: { evil: 1 } })).toMatchObject({ error: { code: 'bad params' } })
    expect(await send('index.html', { method: 'host.pause', params: { minutes: -1 } })).toMatchObject({ error: { code: 'bad params' } })
    expect(await send('index.html', { method: '__proto__', params: {} })).toMatchObject({ error: { code: 'unknown method' } })
    expect(await send('index.html', { method: 'status', params: {} })).toMatchObject({ result: { state: 'open' } })
  })

  test('from a window is not answered beyond its door, whatever it says', async () => {
    expect(await send('index.html', { method: 'tools.call', params: { tool: 'list_secrets', arguments: {} } })).toMatchObject({
      error: { code: 'forbidden' },
    })
    for (const method of ['secrets.list', 'secrets.reveal', 'policies.save', 'audit.query', 'host.pause', 'settings.set'])
      expect(await send('prompt.html', { method, params: {} })).toMatchObject({ error: { code: 'forbidden' } })
    const ask = (method: string) =>
      desktop.prompt.evaluate((method) => (window as Window & { countersign?: DesktopLink }).countersign?.call(method, {}), method)
    expect(await ask('secrets.list')).toMatchObject({ error: { code: 'forbidden' } })
    expect(await ask('approvals.list')).toMatchObject({ result: { open: [] } })
  })

  test('from a frame inside our page is refused', async () => {
    const inside = await desktop.main.evaluate(() => {
      const frame = document.createElement('iframe')
      document.body.append(frame)
      return frame.contentWindow !== null && 'countersign' in frame.contentWindow
    })
    expect(inside).toBe(false)
    expect(await send('frame', { method: 'status', params: {} })).toMatchObject({ error: { code: 'forbidden' } })
    await desktop.main.evaluate(() => document.querySelector('iframe')?.remove())
  })

  test('from a window that we did not let in is refused, even with our own preload', async () => {
    const answer = await desktop.app.evaluate(
      async ({ BrowserWindow }, preload) => {
        const stranger: BrowserWindow = new BrowserWindow({
          show: false,
          webPreferences: { preload, contextIsolation: true, sandbox: true },
        })
        await stranger.loadURL('app://countersign/index.html')
        const said: unknown = await stranger.webContents.executeJavaScript('window.countersign.call("status", {})')
        stranger.destroy()
        return said
      },
      path.join(dist, 'window-preload.js'),
    )
    expect(answer).toMatchObject({ error: { code: 'forbidden' } })
  })
})
