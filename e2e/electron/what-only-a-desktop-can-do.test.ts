import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startBridge, type RunningBridge } from '../support/bridge.ts'
import { connectBus, type Bus } from '../support/bus.ts'
import { startDesktop, type Desktop } from '../support/desktop.ts'
import { freshHome } from '../support/host.ts'
import { startScreen, until, type Screen } from '../support/screen.ts'

let screen: Screen
let desktop: Desktop
let notifications: Bus
let saver: Bus
const home = mkdtempSync(path.join(tmpdir(), 'countersign-e2e-'))
const config = mkdtempSync(path.join(tmpdir(), 'countersign-config-'))

beforeAll(async () => {
  let shown = 0
  notifications = await connectBus({
    Notify: () => ['u', [++shown]],
    GetCapabilities: () => ['as', [['actions', 'body', 'body-markup']]],
    GetServerInformation: () => ['ssss', ['Tests', 'Countersign', '1', '1.2']],
  })
  await notifications.own('org.freedesktop.Notifications')
  saver = await connectBus({ GetActive: () => ['b', [false]] })
  await saver.own('org.freedesktop.ScreenSaver')
  screen = await startScreen()
  desktop = await startDesktop({ home, screen, env: { XDG_CONFIG_HOME: config } })
})

afterAll(async () => {
  await desktop.kill()
  await screen.close()
  notifications.close()
  saver.close()
  for (const folder of [home, config]) rmSync(folder, { recursive: true, force: true })
})

const told = () =>
  notifications.calls.filter(({ member }) => member === 'Notify').map(({ body }) => ({ title: String(body[3]), text: String(body[4]) }))

test('a notification says who wants what; a click on it brings the question to the person', async () => {
  const client = startBridge({ home })
  const before = told().length
  const answer = client.call('store_secret', { name: 'github/token', value: 'sentinel-value' })
  await until('the notification', () => Promise.resolve(told().length > before))
  const [notification] = told().slice(before)
  expect(notification).toMatchObject({ title: expect.stringContaining('wants to store github/token') as string })
  expect(notification?.text).toContain('denied after 10 minutes')
  expect(JSON.stringify(notifications.calls, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))).not.toContain(
    'sentinel-value',
  )

  await desktop.promptComesUp()
  const isPromptFocused = () =>
    desktop.app.evaluate(({ BrowserWindow }) => BrowserWindow.getFocusedWindow()?.webContents.getURL().includes('prompt.html') ?? false)
  expect(await isPromptFocused()).toBe(false)
  notifications.emit('/org/freedesktop/Notifications', 'org.freedesktop.Notifications.ActionInvoked', 'us', [told().length, 'default'])
  await until('the prompt to have the focus', isPromptFocused)
  await desktop.prompt.locator('[data-safe][aria-disabled=false]').waitFor()
  await screen.run('xdotool', 'key', 'Escape')
  expect(await answer).toBe('Error: Denied by the person')
})

test('names that a client chose bring no markup into a notification, which goes with the question', async () => {
  await desktop.ask('clients.register', { id: 'evil', name: '<b>Bold</b> & \u202Eevil', policy: 'default' })
  const client = startBridge({ home, client: 'evil' })
  const before = told().length
  const answer = client.call('remove_secret', { name: 'github/none' })
  expect(await answer).toBe('Not found: github/none')
  const asked = client.call('store_secret', { name: 'github/other', value: 'x' })
  await until('the notification', () => Promise.resolve(told().length > before))
  const [notification] = told().slice(before)
  expect(notification?.title).toContain('⟨U+202E⟩')
  expect(notification?.text).not.toMatch(/[<&]/)
  const [waiting] = await desktop.waiting(1)
  await desktop.ask('approvals.answer', { id: waiting?.id ?? '', revision: waiting?.revision ?? 0, answer: 'deny' })
  expect(await asked).toBe('Error: Denied by the person')
  await until('the notification to go', () => Promise.resolve(notifications.calls.some(({ member }) => member === 'CloseNotification')))
})

test('notifications can be switched off', async () => {
  await desktop.ask('settings.set', { notifications: false })
  onTestFinished(async () => void (await desktop.ask('settings.set', { notifications: true })))
  const client = startBridge({ home })
  const before = told().length
  const asked = client.call('store_secret', { name: 'quiet/one', value: 'x' })
  await desktop.promptComesUp()
  const [waiting] = await desktop.waiting(1)
  await desktop.ask('approvals.answer', { id: waiting?.id ?? '', revision: waiting?.revision ?? 0, answer: 'deny' })
  await asked
  expect(told().slice(before)).toEqual([])
})

/** A registered client whose program a person has allowed once, so that grants may be remembered for it. */
async function verifiedClient(id: string): Promise<RunningBridge> {
  await desktop.ask('clients.register', { id, name: id, policy: 'default' })
  const client = startBridge({ home, client: id })
  await allow(client.call('get_secret', { name: 'kept/one' }), 'once')
  client.process.kill()
  await client.exited
  return startBridge({ home, client: id })
}

async function allow(call: Promise<string>, remember: 'once' | '15m' | 'lock' | 'always'): Promise<string> {
  const [waiting] = await desktop.waiting(1)
  if (waiting !== undefined) await desktop.answer(waiting, 'allow', remember)
  return call
}

test('a locked screen and a sleeping computer drop every grant that is not for always', async () => {
  for (const name of ['kept/one', 'kept/two', 'kept/three']) await desktop.ask('secrets.store', { name, value: 'v' })
  const client = await verifiedClient('cursor')
  await allow(client.call('get_secret', { name: 'kept/three' }), 'always')
  const grants = async () => (await desktop.ask('grants.list')).map(({ name }) => name).toSorted()
  const grow = async () => {
    await allow(client.call('get_secret', { name: 'kept/one' }), '15m')
    expect(await grants()).toEqual(['kept/one', 'kept/three'])
  }

  await grow()
  saver.emit('/org/freedesktop/ScreenSaver', 'org.freedesktop.ScreenSaver.ActiveChanged', 'b', [true])
  await until('the grants to go', async () => (await grants()).length === 1)
  expect(await grants()).toEqual(['kept/three'])
  saver.emit('/org/freedesktop/ScreenSaver', 'org.freedesktop.ScreenSaver.ActiveChanged', 'b', [false])

  await grow()
  // No machine sleeps for a test; this is the event it would cause.
  await desktop.app.evaluate(({ powerMonitor }) => powerMonitor.emit('suspend'))
  await until('the grants to go', async () => (await grants()).length === 1)

  await desktop.ask('settings.set', { lockOnSleep: false })
  await grow()
  await desktop.app.evaluate(({ powerMonitor }) => powerMonitor.emit('suspend'))
  expect(await desktop.ask('status')).toMatchObject({ state: 'open' })
  expect(await grants()).toEqual(['kept/one', 'kept/three'])
  // The grants go first, and then it is recorded that they did.
  await expect.poll(async () => (await desktop.ask('audit.query', { filter: { event: ['host.locked'] } })).rows).toHaveLength(2)
})

test('it starts at login when told to, and only then', async () => {
  const file = path.join(config, 'autostart', 'countersign.desktop')
  expect(await desktop.ask('shell.state')).toEqual({ autostart: false, clipboard: true, fileDialogs: true })
  expect(await desktop.ask('shell.autostart', { on: true })).toMatchObject({ autostart: true })
  expect(readFileSync(file, 'utf8')).toMatch(/^Exec=".*electron" ".*desktop\.js" .*"--hidden"$/m)
  expect(await desktop.ask('shell.autostart', { on: false })).toMatchObject({ autostart: false })
  expect(existsSync(file)).toBe(false)
})

test('a secret on the clipboard never passes through the window, is recorded, and is gone after quitting', async () => {
  await desktop.ask('secrets.store', { name: 'copied/one', value: 'on-the-clipboard' })
  expect(await desktop.ask('secrets.copy', { name: 'copied/one' })).toBe(null)
  const clipboard = () => desktop.app.evaluate(({ clipboard }) => clipboard.readText())
  expect(await clipboard()).toBe('on-the-clipboard')
  const [row] = (await desktop.ask('audit.query', { filter: { event: ['secret.revealed'] }, limit: 1 })).rows
  expect(row).toMatchObject({ secret: 'copied/one' })
  await desktop.ask('shell.copy', { text: 'something else' })
  expect(await clipboard()).toBe('something else')
})

test('the window comes back where it was', async () => {
  const own = freshHome()
  const first = await startDesktop({ home: own, screen })
  await first.app.evaluate(({ BrowserWindow }) => {
    const window = BrowserWindow.getAllWindows().find(({ webContents }) => webContents.getURL().includes('index.html'))
    window?.setBounds({ x: 90, y: 70, width: 900, height: 600 })
  })
  const bounds = (desk: Desktop) =>
    desk.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()
        .find(({ webContents }) => webContents.getURL().includes('index.html'))
        ?.getBounds(),
    )
  await until('the window to move', async () => (await bounds(first))?.width === 900)
  const left = await bounds(first)
  await first.quit()
  const second = await startDesktop({ home: own, screen })
  onTestFinished(() => second.kill())
  expect(await bounds(second)).toMatchObject({ width: left?.width, height: left?.height })
  const least = await second.app.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()
      .find(({ webContents }) => webContents.getURL().includes('index.html'))
      ?.getMinimumSize(),
  )
  expect(least).toEqual([720, 480])
})
