// Where the prompt comes up, and what it takes to allow something in it: the pointer must not be on an answer without having moved there.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Desktop as DesktopLink } from '../../src-shared/desktop.ts'
import { startBridge, type RunningBridge } from '../support/bridge.ts'
import { startDesktop, type Desktop } from '../support/desktop.ts'
import { pictures, startScreen, until, type Screen } from '../support/screen.ts'

const LONG = `dev/${'a-rather-long-name-of-a-secret-'.repeat(3)}end`

interface Area {
  x: number
  y: number
  width: number
  height: number
}

interface Room {
  screen: Screen
  desktop: Desktop
  home: string
  point: (x: number, y: number) => Promise<void>
  prompt: () => Promise<Area>
}

async function openRoom({ size, args = [] }: { size?: { width: number; height: number }; args?: string[] } = {}): Promise<Room> {
  const screen = await startScreen(size)
  onTestFinished(() => screen.close())
  const home = mkdtempSync(path.join(tmpdir(), 'countersign-e2e-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const desktop = await startDesktop({ home, screen, args })
  onTestFinished(() => desktop.kill())
  // What was shown last must not say where the next one comes up.
  await desktop.app.evaluate(({ BrowserWindow }) => {
    for (const window of BrowserWindow.getAllWindows()) if (window.webContents.getURL().includes('index.html')) window.setPosition(0, 0)
  })
  return {
    screen,
    desktop,
    home,
    point: async (x, y) => void (await screen.run('xdotool', 'mousemove', String(x), String(y))),
    prompt: () =>
      desktop.app.evaluate(({ BrowserWindow }) => {
        const window = BrowserWindow.getAllWindows().find(({ webContents }) => webContents.getURL().includes('prompt.html'))
        if (window === undefined) throw new Error('there is no prompt window')
        return window.getContentBounds()
      }),
  }
}

const isInside = ({ x, y, width, height }: Area, [px, py]: readonly [number, number]) =>
  px >= x && px < x + width && py >= y && py < y + height

/** Registered, and allowed once with the program that it is, so that its questions are short ones. */
async function knownClient({ home, desktop }: Room, id: string): Promise<RunningBridge> {
  await desktop.ask('clients.register', { id, name: id, policy: 'default' })
  const first = startBridge({ home, client: id })
  await first.initialize()
  const stored = first.call('store_secret', { name: `dev/${id}`, value: 'v' })
  const [waiting] = await desktop.waiting(1)
  if (waiting !== undefined) await desktop.answer(waiting, 'allow')
  await stored
  first.process.kill()
  await first.exited
  const client = startBridge({ home, client: id })
  await client.initialize()
  return client
}

async function stranger({ home }: Room): Promise<RunningBridge> {
  const client = startBridge({ home })
  await client.initialize()
  return client
}

const allowOpens = (desktop: Desktop) => desktop.prompt.locator('[data-allows][aria-disabled=false]').waitFor()
const denyOpens = (desktop: Desktop) => desktop.prompt.locator('[data-safe][aria-disabled=false]').waitFor()
/** As long as something is out of sight, a button under it leads there. */
async function seeAll(desktop: Desktop): Promise<void> {
  const more = desktop.prompt.getByRole('button', { name: 'Scroll to see the whole request' })
  while (await more.isVisible()) await more.click({ timeout: 300 }).catch(() => null)
}
const gone = (desktop: Desktop) => until('the prompt to go', async () => !(await desktop.isPromptVisible()))

test('the first question after a start comes up in its own size, and not over the pointer', async () => {
  const room = await openRoom()
  const { desktop } = room
  await desktop.ask('secrets.store', { name: LONG, value: 'v' })
  const pointer = [1136, 415] as const
  await room.point(...pointer)
  const client = await stranger(room)
  const answer = client.call('get_secret', { name: LONG })
  await desktop.promptComesUp()
  await allowOpens(desktop)
  const prompt = await room.prompt()
  expect(prompt.height).toBeGreaterThan(260)
  expect(isInside(prompt, pointer), JSON.stringify(prompt)).toBe(false)
  await desktop.prompt.keyboard.press('Escape')
  expect(await answer).toBe('Error: Denied by the person')
})

test('a longer question after a short one does not grow over a pointer at rest, and a click there allows nothing', async () => {
  const room = await openRoom()
  const { desktop, screen } = room
  await desktop.ask('secrets.store', { name: LONG, value: 'v' })
  const known = await knownClient(room, 'cursor')
  const pointer = [1136, 415] as const
  await room.point(...pointer)

  const short = known.call('get_secret', { name: 'dev/cursor' })
  await desktop.promptComesUp()
  await denyOpens(desktop)
  const before = await room.prompt()
  expect(isInside(before, pointer)).toBe(false)
  await desktop.prompt.keyboard.press('Escape')
  expect(await short).toBe('Error: Denied by the person')
  await gone(desktop)

  const client = await stranger(room)
  let said = ''
  const answer = client.call('get_secret', { name: LONG }).then((text) => (said = text))
  await desktop.promptComesUp()
  await allowOpens(desktop)
  const after = await room.prompt()
  expect(after.height).toBeGreaterThan(before.height)
  expect(isInside(after, pointer), JSON.stringify(after)).toBe(false)
  await screen.run('xdotool', 'click', '1')
  expect(await desktop.waiting(1)).toMatchObject([{ secret: LONG }])
  expect(said).toBe('')
  await desktop.prompt.keyboard.press('Escape')
  expect(await answer).toBe('Error: Denied by the person')
})

test('a window manager that puts it back late, where it stood before, does not leave it there', async () => {
  const room = await openRoom()
  const { desktop, screen } = room
  const client = await knownClient(room, 'cursor')
  const windowId = async () =>
    String(
      await desktop.app.evaluate(({ BrowserWindow }) =>
        Number(
          BrowserWindow.getAllWindows()
            .find(({ webContents }) => webContents.getURL().includes('prompt.html'))
            ?.getMediaSourceId()
            .split(':')[1],
        ),
      ),
    )
  const outer = () =>
    desktop.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()
        .find(({ webContents }) => webContents.getURL().includes('prompt.html'))
        ?.getPosition(),
    )
  await room.point(1200, 60)
  const first = client.call('get_secret', { name: 'dev/cursor' })
  await desktop.promptComesUp()
  await denyOpens(desktop)
  const [x = 0, y = 0] = (await outer()) ?? []
  await desktop.prompt.keyboard.press('Escape')
  await first
  await gone(desktop)

  await room.point(100, 60)
  const second = client.call('get_secret', { name: 'dev/cursor' })
  await desktop.promptComesUp()
  await denyOpens(desktop)
  expect(await outer()).not.toEqual([x, y])
  const shown = performance.now()
  // Later than a person needs to take hold of a window.
  await until('a while', () => Promise.resolve(performance.now() - shown > 1200))
  const moved = desktop.app.evaluate(
    ({ BrowserWindow }) =>
      new Promise<void>((resolve) => {
        BrowserWindow.getAllWindows()
          .find(({ webContents }) => webContents.getURL().includes('prompt.html'))
          ?.once('move', () => resolve())
      }),
  )
  await screen.run('xdotool', 'windowmove', await windowId(), String(x), String(y))
  await moved
  await until('the prompt to stand away from the pointer', async () => !isInside(await room.prompt(), [100, 60]))
  await desktop.prompt.keyboard.press('Escape')
  expect(await second).toBe('Error: Denied by the person')
})

test('where no corner is free, a click on Allow waits for the pointer to move', async () => {
  const room = await openRoom({ size: { width: 720, height: 480 } })
  const { desktop, screen } = room
  await desktop.ask('secrets.store', { name: LONG, value: 'v' })
  const client = await stranger(room)
  await room.point(360, 240)
  const first = client.call('get_secret', { name: LONG })
  await desktop.promptComesUp()
  await denyOpens(desktop)
  await screen.shoot(pictures('prompt-720x480'))
  await seeAll(desktop)
  await allowOpens(desktop)
  await screen.shoot(pictures('prompt-720x480-seen'))
  await desktop.prompt.keyboard.press('Escape')
  await first
  await gone(desktop)

  // In every corner it would be under the prompt.
  const pointer = [440, 430] as const
  await room.point(...pointer)
  const second = client.call('store_secret', { name: LONG, value: 'w', force: true })
  await desktop.promptComesUp()
  await denyOpens(desktop)
  await seeAll(desktop)
  await allowOpens(desktop)
  expect(isInside(await room.prompt(), pointer)).toBe(true)
  await desktop.prompt.locator('[data-allows]').click()
  await desktop.prompt.getByText('Move it, then answer.').waitFor()
  expect(await desktop.waiting(1)).toMatchObject([{ secret: LONG }])
  let said = ''
  void second.then((text) => (said = text))
  await until('the answer', async () => {
    // Those words changed what is shown, so it may take a moment until the next click counts.
    await room.point(pointer[0] + 3, pointer[1] - 3)
    if (said === '')
      await desktop.prompt
        .locator('[data-allows]')
        .click({ timeout: 1000 })
        .catch(() => null)
    return said !== ''
  })
  expect(said).toBe(`Stored secret '${LONG}'`)
})

test('at scale 2 it keeps its width, question after question', async () => {
  const room = await openRoom({ size: { width: 1600, height: 1200 }, args: ['--force-device-scale-factor=2'] })
  const { desktop } = room
  await desktop.ask('secrets.store', { name: LONG, value: 'v' })
  await desktop.ask('secrets.store', { name: 'dev/one', value: 'v' })
  const widths: number[] = []
  for (let turn = 0; turn < 3; turn++) {
    // One of its own for each turn: a single one may not ask this often.
    await desktop.ask('clients.register', { id: `client-${turn}`, name: 'Cursor', policy: 'default' })
    const client = startBridge({ home: room.home, client: `client-${turn}` })
    await client.initialize()
    for (const name of ['dev/one', LONG]) {
      const answer = client.call('get_secret', { name })
      await desktop.promptComesUp()
      await denyOpens(desktop)
      widths.push(await desktop.prompt.evaluate(() => window.innerWidth))
      await desktop.prompt.keyboard.press('Escape')
      await answer
      await gone(desktop)
    }
  }
  // Half a point is rounded up where the window manager's frame is an odd number of pixels; it does not add up.
  expect(Math.max(...widths), widths.join(' ')).toBeLessThanOrEqual(461)
})

test('a move in the same instant as an allow counts before it', async () => {
  const room = await openRoom()
  const { desktop } = room
  await desktop.ask('secrets.store', { name: 'dev/one', value: 'v' })
  const client = await stranger(room)
  const answer = client.call('get_secret', { name: 'dev/one' })
  await desktop.promptComesUp()
  await allowOpens(desktop)
  const [waiting] = await desktop.waiting(1)
  const outcome = await desktop.app.evaluate(
    async ({ BrowserWindow }, request) => {
      const window = BrowserWindow.getAllWindows().find(({ webContents }) => webContents.getURL().includes('prompt.html'))
      if (window === undefined) throw new Error('there is no prompt window')
      const moved = new Promise<void>((resolve) => void window.once('move', () => resolve()))
      const [x = 0, y = 0] = window.getPosition()
      window.setPosition(x - 40, y + 40)
      await moved
      return window.webContents.executeJavaScript(`window.countersign.call('approvals.answer', ${request})`) as Promise<unknown>
    },
    JSON.stringify({ id: waiting?.id, revision: waiting?.revision, answer: 'allow' }),
  )
  expect(outcome).toMatchObject({ error: { code: 'refused' } })
  await allowOpens(desktop)
  await desktop.prompt.keyboard.press('Escape')
  expect(await answer).toBe('Error: Denied by the person')
})

test('the main window may not allow by script what it does not show, nor at once what it says it shows', async () => {
  const room = await openRoom()
  const { desktop } = room
  await desktop.ask('secrets.store', { name: 'dev/one', value: 'v' })
  await desktop.main.evaluate(() => {
    location.hash = '#/settings'
  })
  const client = await stranger(room)
  const answer = client.call('get_secret', { name: 'dev/one' })
  const [waiting] = await desktop.waiting(1)
  const request = { id: waiting?.id ?? '', revision: waiting?.revision ?? 0 }
  const call = (method: string, params: object) =>
    desktop.main.evaluate(([method, params]) => (window as unknown as { countersign: DesktopLink }).countersign.call(method, params), [
      method,
      params,
    ] as const)
  const allow = () => call('approvals.answer', { ...request, answer: 'allow' })
  expect(await allow()).toMatchObject({ error: { code: 'refused' } })
  await desktop.promptComesUp()
  await allowOpens(desktop)
  // In sight in the prompt, for long enough; not here.
  expect(await allow()).toMatchObject({ error: { code: 'refused' } })
  expect(await call('approvals.shown', { ...request, inSight: true })).toEqual({ result: { counted: true } })
  expect(await allow()).toMatchObject({ error: { code: 'refused' } })
  await desktop.prompt.keyboard.press('Escape')
  expect(await answer).toBe('Error: Denied by the person')
})
