import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startBridge, type RunningBridge } from '../support/bridge.ts'
import { startDesktop, type Desktop } from '../support/desktop.ts'
import { pictures, startScreen, until, type Screen } from '../support/screen.ts'

let screen: Screen
let desktop: Desktop
const home = mkdtempSync(path.join(tmpdir(), 'countersign-e2e-'))

beforeAll(async () => {
  screen = await startScreen()
  desktop = await startDesktop({ home, screen })
})

afterEach(async () => {
  for (const { id, revision } of (await desktop.ask('approvals.list')).open)
    await desktop.ask('approvals.answer', { id, revision, answer: 'deny' })
  await until('the prompt to go', async () => !(await desktop.isPromptVisible()))
})

afterAll(async () => {
  await desktop.kill()
  await screen.close()
  rmSync(home, { recursive: true, force: true })
})

let clients = 0

/** One of its own for each test: a single one may not ask this often. */
async function startClient(): Promise<RunningBridge> {
  const id = `client-${++clients}`
  await desktop.ask('clients.register', { id, name: `Client ${clients}`, policy: 'default' })
  const client = startBridge({ home, client: id })
  await client.initialize()
  return client
}

const boundsOf = (page: 'index.html' | 'prompt.html') =>
  desktop.app.evaluate(({ BrowserWindow }, page) => {
    const window = BrowserWindow.getAllWindows().find(({ webContents }) => webContents.getURL().includes(page))
    return { ...window?.getContentBounds(), id: Number(window?.getMediaSourceId().split(':')[1]) } as {
      x: number
      y: number
      width: number
      height: number
      id: number
    }
  }, page)

const activeWindow = async () => Number(await screen.run('xdotool', 'getactivewindow'))

/** Windows from the lowest to the topmost, as the window manager keeps them. */
async function stacking(): Promise<number[]> {
  const text = await screen.run('xprop', '-root', '_NET_CLIENT_LIST_STACKING')
  return [...text.matchAll(/0x[0-9a-f]+/g)].map(([id]) => Number(id))
}

/** The middle of an element of the prompt, on the screen. */
async function onScreen(name: RegExp): Promise<[x: string, y: string]> {
  const { x, y } = await boundsOf('prompt.html')
  const box = await desktop.prompt.getByRole('button', { name }).boundingBox()
  if (box === null) throw new Error('the prompt shows no such button')
  return [String(Math.round(x + box.x + box.width / 2)), String(Math.round(y + box.y + box.height / 2))]
}

async function guardOpens(): Promise<void> {
  for (const button of ['[data-safe]', '[data-allows]']) await desktop.prompt.locator(`${button}[aria-disabled=false]`).waitFor()
}

test('it stands above everything, and what is typed elsewhere answers nothing', async () => {
  const client = await startClient()
  const elsewhere = await desktop.app.evaluate(async ({ BrowserWindow }) => {
    const window = new BrowserWindow()
    await window.loadURL('data:text/html,<title>Elsewhere</title><textarea autofocus rows="40" cols="140"></textarea>')
    window.maximize()
    return { electron: window.id, x: Number(window.getMediaSourceId().split(':')[1]) }
  })
  await screen.run('xdotool', 'windowactivate', '--sync', String(elsewhere.x))
  const answer = client.call('store_secret', { name: 'github/token', value: 'sentinel' })
  await desktop.promptComesUp()
  await guardOpens()
  const prompt = await boundsOf('prompt.html')

  expect(await activeWindow()).toBe(elsewhere.x)
  expect((await stacking()).at(-1)).toBe(prompt.id)
  expect(prompt.width).toBe(460)
  for (const keys of ['a', 'Return', 'space', 'ctrl+Return', 'Escape', 'b']) await screen.run('xdotool', 'key', keys)
  await until('the keys to arrive elsewhere', async () =>
    desktop.app.evaluate(async ({ BrowserWindow }, id) => {
      const text: unknown = await BrowserWindow.fromId(id)?.webContents.executeJavaScript('document.querySelector("textarea").value')
      return typeof text === 'string' && /^a\s+b$/.test(text)
    }, elsewhere.electron),
  )
  await screen.shoot(pictures('prompt-above'))
  expect(await desktop.prompt.evaluate(() => document.activeElement?.hasAttribute('data-safe'))).toBe(true)
  expect(await desktop.waiting(1)).toMatchObject([{ secret: 'github/token' }])

  await screen.run('xdotool', 'windowactivate', '--sync', String(prompt.id))
  await screen.run('xdotool', 'key', 'Return')
  expect(await answer).toBe('Error: Denied by the person')
  // Hidden, not destroyed: Electron 42 now and then goes down when the window that has just got the focus back is destroyed.
  await desktop.app.evaluate(({ BrowserWindow }, id) => BrowserWindow.fromId(id)?.hide(), elsewhere.electron)
})

test('a click on Allow, once it has been in sight, is an answer; the window then goes by itself', async () => {
  const client = await startClient()
  const answer = client.call('store_secret', { name: 'click/one', value: 'sentinel' })
  await desktop.promptComesUp()
  await guardOpens()
  await screen.run('xdotool', 'mousemove', ...(await onScreen(/^Allow/)), 'click', '1')
  expect(await answer).toBe("Stored secret 'click/one'")
  await until('the prompt to go', async () => !(await desktop.isPromptVisible()))
})

test('it keeps away from the pointer', async () => {
  const client = await startClient()
  for (const [x, y] of [
    [1200, 60],
    [100, 60],
    [640, 400],
  ] as const) {
    await screen.run('xdotool', 'mousemove', String(x), String(y))
    const answer = client.call('remove_secret', { name: 'click/one' })
    await desktop.promptComesUp()
    // A window manager that is late may put it where it was; it is back in its place before anybody could click.
    await guardOpens()
    const prompt = await boundsOf('prompt.html')
    const inside = x > prompt.x - 40 && x < prompt.x + prompt.width + 40 && y > prompt.y - 40 && y < prompt.y + prompt.height + 40
    expect(inside, `pointer ${x},${y}, prompt ${JSON.stringify(prompt)}`).toBe(false)
    // The window is as high as its question: nothing scrolls where the display has room.
    const hidden = await desktop.prompt.evaluate(() => {
      const facts = document.querySelector('[data-facts]')
      return facts === null ? null : facts.scrollHeight - facts.clientHeight
    })
    expect(hidden).toBe(0)
    await desktop.prompt.keyboard.press('Escape')
    expect(await answer).toBe('Error: Denied by the person')
    await until('the prompt to go', async () => !(await desktop.isPromptVisible()))
  }
})

/** What a broken or hostile page in the prompt window would try: an allow without the page's own guard. */
const allowAtOnce = (id: string, revision: number) =>
  desktop.app.evaluate(
    ({ BrowserWindow }, [id, revision]) => {
      const contents = BrowserWindow.getAllWindows().find(({ webContents }) => webContents.getURL().includes('prompt.html'))?.webContents
      return contents?.executeJavaScript(
        `window.countersign.call('approvals.answer', ${JSON.stringify({ id, revision, answer: 'allow' })})`,
      ) as Promise<unknown>
    },
    [id, revision] as const,
  )

test('closing it means later; the next request brings it back with a fresh guard', async () => {
  const client = await startClient()
  const first = client.call('store_secret', { name: 'later/one', value: 'sentinel' })
  await desktop.promptComesUp()
  await guardOpens()
  await screen.run('xdotool', 'windowactivate', '--sync', String((await boundsOf('prompt.html')).id), 'key', 'alt+F4')
  await until('the prompt to go', async () => !(await desktop.isPromptVisible()))
  const [waiting] = await desktop.waiting(1)
  if (waiting === undefined) throw new Error('nothing waits')

  const second = client.call('store_secret', { name: 'later/two', value: 'sentinel' })
  await until('the prompt to come back', desktop.isPromptVisible)
  expect(await allowAtOnce(waiting.id, waiting.revision)).toMatchObject({ error: { code: 'refused' } })
  await desktop.promptComesUp()
  expect(await desktop.prompt.getByText('1 of 2').isVisible()).toBe(true)
  await screen.shoot(pictures('prompt-one-of-two'))
  await guardOpens()
  await desktop.prompt.keyboard.press('Escape')
  expect(await first).toBe('Error: Denied by the person')
  await desktop.prompt.getByText('later/two').first().waitFor()
  await guardOpens()
  await desktop.prompt.keyboard.press('Control+Enter')
  expect(await second).toBe("Stored secret 'later/two'")
})

test('its page may crash: the question is shown again within 2 seconds with a fresh guard, and stays undecided', async () => {
  const client = await startClient()
  const answer = client.call('store_secret', { name: 'crash/one', value: 'sentinel' })
  await desktop.promptComesUp()
  await guardOpens()
  const [waiting] = await desktop.waiting(1)
  if (waiting === undefined) throw new Error('nothing waits')
  const inPrompt = (code: string) =>
    desktop.app.evaluate(({ BrowserWindow }, code) => {
      const contents = BrowserWindow.getAllWindows().find(({ webContents }) => webContents.getURL().includes('prompt.html'))?.webContents
      return contents?.isCrashed() === false && !contents.isLoading() ? (contents.executeJavaScript(code) as Promise<boolean>) : false
    }, code)

  const start = performance.now()
  await desktop.app.evaluate(({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows().find(({ webContents }) => webContents.getURL().includes('prompt.html'))?.webContents
    const gone = new Promise((resolve) => contents?.once('render-process-gone', resolve))
    contents?.forcefullyCrashRenderer()
    return gone.then(() => null)
  })
  await until('the page to be there again', () => inPrompt('document.activeElement?.hasAttribute("data-safe") ?? false'))
  expect(performance.now() - start).toBeLessThan(20_000)
  expect(await allowAtOnce(waiting.id, waiting.revision)).toMatchObject({ error: { code: 'refused' } })
  expect(await desktop.isPromptVisible()).toBe(true)
  expect(await desktop.waiting(1)).toMatchObject([{ id: waiting.id }])

  await until('the guard to open', () => inPrompt('document.querySelector("[data-allows]").ariaDisabled === "false"'))
  await screen.run('xdotool', 'windowactivate', '--sync', String((await boundsOf('prompt.html')).id))
  await screen.run('xdotool', 'key', 'ctrl+Return')
  expect(await answer).toBe("Stored secret 'crash/one'")
})
