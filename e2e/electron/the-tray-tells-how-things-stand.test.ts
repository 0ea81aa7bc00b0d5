// The tray in a real panel: its four shapes as they are seen, and its menu as the panel gets it.

import { renameSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Shape } from '../../src-main/electron/icon.ts'
import { startBridge } from '../support/bridge.ts'
import { startDesktop, type Desktop } from '../support/desktop.ts'
import { freshHome } from '../support/host.ts'
import { startPanel, type Panel } from '../support/panel.ts'
import { pictures, startScreen, until, type Screen } from '../support/screen.ts'

let screen: Screen
let panel: Panel

beforeAll(async () => {
  screen = await startScreen()
  panel = await startPanel(screen)
})

afterAll(async () => {
  await panel.close()
  await screen.close()
})

async function openDesk(home: string): Promise<Desktop> {
  const desktop = await startDesktop({ home, screen })
  onTestFinished(() => desktop.kill())
  return desktop
}

async function shows(shape: Shape): Promise<void> {
  let seen: unknown = null
  // A panel shows what is under the pointer a little differently.
  await screen.run('xdotool', 'mousemove', '640', '400')
  const isThere = async () => {
    const now = await panel.sees()
    seen = now
    return now.shape === shape && now.fits > 0.85
  }
  await until(`the tray to show ${shape}`, isThere).catch(() => expect(seen).toMatchObject({ shape }))
  await screen.shoot(pictures(`tray-${shape}`))
}

/** Waits until the menu has this line. */
async function hasLine(line: string | RegExp): Promise<void> {
  let labels: string[] = []
  const isThere = async () => {
    labels = (await panel.menu()).labels
    return labels.some((label) => (typeof line === 'string' ? label === line : line.test(label)))
  }
  await until('a line in the menu', isThere).catch(() => expect(labels.join('\n')).toContain(String(line)))
}

test('nobody waits, somebody waits, all is paused, the keychain is in trouble: four shapes', async () => {
  const home = freshHome()
  const desktop = await openDesk(home)
  await shows('idle')

  const client = startBridge({ home })
  const asked = client.call('store_secret', { name: 'github/token', value: 'sentinel' })
  await shows('dot')
  await hasLine('(unregistered) wants to store github/token')
  await panel.click('right')
  await until('the menu to open', menuIsOpen)
  await screen.shoot(pictures('tray-menu'))
  await screen.run('xdotool', 'key', 'Escape')

  // A pause is a no to whoever waits.
  await (await panel.menu()).choose('Pause all access/For 15 minutes')
  expect(await asked).toBe('Error: Denied by the person')
  await shows('slash')
  expect(await client.call('store_secret', { name: 'github/token', value: 'sentinel' })).toBe(
    'Error: Countersign is paused; resume it, then repeat the call',
  )
  await hasLine(/^Resume \(paused until \d\d:\d\d\)$/)
  await (await panel.menu()).choose(/^Resume/)
  await shows('idle')
  await desktop.quit()

  // The same vault under another name: its keychain items are not where they should be.
  const moved = `${home}-moved`
  renameSync(home, moved)
  onTestFinished(() => rmSync(moved, { recursive: true, force: true }))
  await openDesk(moved)
  await shows('bang')
  await hasLine('The keychain is locked; unlock it and try again')
})

async function menuIsOpen(): Promise<boolean> {
  // A menu is a window that the window manager does not manage, above the panel.
  const above = await screen.look(40, 700, 40, 8)
  return above.flat().some((light) => light > 200)
}

test('the menu shows grants with the time left and takes them back, lists the last calls, and opens each screen', async () => {
  const home = freshHome()
  const desktop = await openDesk(home)
  await desktop.ask('secrets.store', { name: 'kept/one', value: 'v' })
  await desktop.ask('clients.register', { id: 'cursor', name: 'Cursor & Co', policy: 'default' })
  const allow = async (remember: 'once' | '15m') => {
    const client = startBridge({ home, client: 'cursor' })
    const call = client.call('get_secret', { name: 'kept/one' })
    const [waiting] = await desktop.waiting(1)
    if (waiting !== undefined) await desktop.answer(waiting, 'allow', remember)
    expect(await call).toBe('v')
    client.process.kill()
    await client.exited
  }
  await allow('once')
  await allow('15m')

  const grant = /^Active grants \(1\)\/Cursor & Co reads kept\/one · 15 min left$/
  await hasLine(grant)
  // The grant is there before the call that it came from has ended.
  const lastCalls = async () => (await panel.menu()).labels.filter((label) => label.startsWith('Last calls/'))
  await until('the last calls', async () => (await lastCalls()).length === 3)
  expect(await lastCalls()).toEqual([
    expect.stringMatching(/^Last calls\/\d\d:\d\d {2}✓ allowed: Cursor & Co read kept\/one$/),
    expect.stringMatching(/^Last calls\/\d\d:\d\d {2}✓ allowed: Cursor & Co read kept\/one$/),
    expect.stringMatching(/^Last calls\/.*you stored kept\/one$/),
  ])
  await (await panel.menu()).choose(new RegExp(`${grant.source.slice(0, -1)}/Revoke$`))
  await hasLine('No active grants')
  expect(await desktop.ask('grants.list')).toEqual([])

  for (const name of ['secrets', 'policies', 'clients', 'settings', 'audit']) {
    await (await panel.menu()).choose(`${name.charAt(0).toUpperCase()}${name.slice(1)}…`)
    await until(`the screen ${name}`, () => Promise.resolve(desktop.main.url().endsWith(`#/${name}`)))
  }
})

test('a click opens the window, and the last line of the menu ends the app', async () => {
  const desktop = await openDesk(freshHome())
  await shows('idle')
  const isOpen = () =>
    desktop.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().some(({ webContents }) => webContents.getURL().includes('index.html')),
    )
  await desktop.main.close()
  await until('the window to go', async () => !(await isOpen()))
  await panel.click('left')
  await until('the window to come', isOpen)

  const child = desktop.app.process()
  const exited = new Promise((resolve) => child.once('exit', resolve))
  await panel.click('right')
  await until('the menu to open', menuIsOpen)
  await screen.run('xdotool', 'key', 'Up', 'Return')
  expect(await exited).toBe(0)
})
