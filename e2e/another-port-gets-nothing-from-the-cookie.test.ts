// Cookies do not know ports: a browser sends the page's cookie to whatever else listens on 127.0.0.1. Here something does, in a
// real browser, and with what it was sent it tries every door of the page.

import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium, type Page } from 'playwright'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket as Client } from 'ws'
import { startHost } from './support/host.ts'

const PIN = '271828'

/** A program on another port; it keeps what browsers send it. */
async function startNeighbour(): Promise<{ url: string; seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = []
  const server = createServer((request, response) => {
    seen.push(request)
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>neighbour</title>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, seen }
}

async function openBrowser() {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [] // Chromium has no sandbox for root.
  const browser = await chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args })
  onTestFinished(() => browser.close())
  return browser.newContext()
}

async function setPin(page: Page, url: string): Promise<void> {
  await page.goto(url)
  for (const label of ['PIN', 'PIN again']) await page.getByLabel(label, { exact: true }).fill(PIN)
  await page.getByRole('button', { name: 'Set PIN' }).click()
  await isAtTheDesk(page)
}

const isAtTheDesk = (page: Page) => page.getByRole('navigation', { name: 'Screens' }).waitFor()

/** How the WebSocket of the page answers: opened, or with which status it was refused. */
function tryRpc(url: string, headers: Record<string, string>, protocols: string[] = []): Promise<number | 'opened'> {
  return new Promise((resolve, reject) => {
    const socket = new Client(url.replace('http', 'ws') + 'rpc', protocols, { headers })
    socket.on('open', () => {
      socket.terminate()
      resolve('opened')
    })
    socket.on('unexpected-response', (_request, response) => {
      socket.terminate()
      resolve(response.statusCode ?? 0)
    })
    socket.on('error', reject)
  })
}

test('a program on another port that is sent the cookie of the page can open nothing with it', async () => {
  const { ready } = await startHost()
  const neighbour = await startNeighbour()
  const context = await openBrowser()
  const page = await context.newPage()
  await setPin(page, ready.url)

  const tab = await context.newPage()
  await tab.goto(neighbour.url)
  const cookie = neighbour.seen[0]?.headers.cookie ?? ''
  expect(cookie).toMatch(/^countersign-\d+=[\w-]{43}$/) // It is sent: this is why the cookie must not be enough.

  const origin = new URL(ready.url).origin
  const [, value = ''] = cookie.split('=')
  expect(await tryRpc(ready.url, { cookie, origin })).toBe(401)
  expect(await tryRpc(ready.url, { cookie, origin }, ['countersign'])).toBe(401)
  expect(await tryRpc(ready.url, { cookie, origin }, ['countersign', value])).toBe(401)
  const session = await fetch(new URL('/session', ready.url), { headers: { cookie, origin, 'x-countersign-page': value } })
  expect(await session.json()).toEqual({ mode: 'pin', loggedIn: false })
  await fetch(new URL('/logout', ready.url), {
    method: 'POST',
    headers: { cookie, origin, 'content-type': 'application/json' },
    body: '{}',
  })

  await page.reload() // The person is still logged in, in this tab.
  await isAtTheDesk(page)
})

test('a page on another port can reach neither the WebSocket nor the session of the page from within the browser', async () => {
  const { ready } = await startHost()
  const neighbour = await startNeighbour()
  const context = await openBrowser()
  const page = await context.newPage()
  await setPin(page, ready.url)

  const tab = await context.newPage()
  await tab.goto(neighbour.url)
  const tried = await tab.evaluate(async (url) => {
    const opens = (protocols: string[]) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(url.replace('http', 'ws') + 'rpc', protocols)
        socket.addEventListener('open', () => resolve('opened'))
        socket.addEventListener('error', () => resolve('refused'))
      })
    const asked = await fetch(`${url}session`, { credentials: 'include' }).then(
      (response) => response.text(),
      () => 'refused',
    )
    return {
      bare: await opens([]),
      guessed: await opens(['countersign', 'guess']),
      asked,
      stored: [...Object.keys(sessionStorage), ...Object.keys(localStorage)],
      cookie: document.cookie,
    }
  }, ready.url)
  expect(tried).toEqual({ bare: 'refused', guessed: 'refused', asked: 'refused', stored: [], cookie: '' })
})

test('a second tab asks for the PIN, joins the session, and leaves the first one logged in', async () => {
  const { ready } = await startHost()
  const context = await openBrowser()
  const first = await context.newPage()
  await setPin(first, ready.url)
  const second = await context.newPage()
  await second.goto(ready.url)
  await second.getByLabel('PIN', { exact: true }).fill(PIN)
  await second.getByRole('button', { name: 'Log in' }).click()
  await isAtTheDesk(second)
  for (const page of [first, second]) {
    await page.reload()
    await isAtTheDesk(page)
    expect(await page.getByLabel('PIN', { exact: true }).count()).toBe(0)
  }
})
