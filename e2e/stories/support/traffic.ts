// Everything that passes between the host and its windows, and everything a window ever shows, searched for a value.

import type { ElectronApplication, Page } from '@playwright/test'

export interface Traffic {
  /** Messages so far that hold the text, or that text in one of the usual disguises. */
  holding: (text: string) => Promise<string[]>
  count: () => Promise<number>
}

function disguises(text: string): string[] {
  const bytes = Buffer.from(text)
  return [
    text,
    bytes.toString('hex'),
    bytes.toString('base64').replace(/=+$/, ''),
    encodeURIComponent(text),
    [...text].toReversed().join(''),
  ]
}

const search = (messages: readonly string[], text: string) =>
  messages.filter((message) => disguises(text).some((one) => message.includes(one)))

export function recordSockets(page: Page): Traffic {
  const messages: string[] = []
  page.on('websocket', (socket) => {
    const keep = ({ payload }: { payload: string | Buffer }) => void messages.push(payload.toString())
    socket.on('framesent', keep)
    socket.on('framereceived', keep)
  })
  page.on('request', (request) => void messages.push(`${request.url()} ${request.postData() ?? ''}`))
  return { holding: async (text) => search(messages, text), count: async () => messages.length }
}

/** Electron has no way to look at its IPC from outside, so the main process keeps a copy of what it hears and says. */
export async function recordIpc(app: ElectronApplication): Promise<Traffic> {
  await app.evaluate(({ ipcMain, webContents }) => {
    const messages: string[] = []
    Object.assign(globalThis, { recordedMessages: messages })
    const keep = (message: unknown) => void messages.push(JSON.stringify(message) ?? '')
    type Handler = (event: unknown, ...args: unknown[]) => unknown
    // Electron keeps its handlers here; nothing public reads them.
    const handlers = (ipcMain as unknown as { _invokeHandlers: Map<string, Handler> })._invokeHandlers
    for (const [channel, handler] of handlers) {
      handlers.set(channel, async (event, ...args) => {
        keep(args)
        const answer = await handler(event, ...args)
        keep(answer)
        return answer
      })
    }
    for (const contents of webContents.getAllWebContents()) {
      const send = contents.send.bind(contents)
      contents.send = (channel: string, ...args: unknown[]) => {
        keep(args)
        send(channel, ...args)
      }
    }
  })
  const read = () => app.evaluate(() => (globalThis as unknown as { recordedMessages: string[] }).recordedMessages)
  return { holding: async (text) => search(await read(), text), count: async () => (await read()).length }
}

/** Looks at the page after every change of it, for text anywhere in it, in attributes and in fields; tells whether it ever was there. */
export async function watchPage(page: Page, text: string): Promise<() => Promise<boolean>> {
  await page.evaluate((text) => {
    const look = () => {
      const fields = [...document.querySelectorAll<HTMLInputElement>('input, textarea')].map(({ value }) => value)
      if ([document.documentElement.outerHTML, location.href, document.title, ...fields].some((part) => part.includes(text)))
        Object.assign(window, { wasSeen: true })
    }
    look()
    new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
  }, text)
  return () => page.evaluate(() => 'wasSeen' in window)
}
