// The windows' door to the host. Who asks is told by the window a message comes from, never by what the message says.

import { ipcMain, type IpcMainInvokeEvent, type WebContents } from 'electron'
import type { DesktopAnswer } from '../../src-shared/desktop.ts'
import type { Access, RpcFault } from '../../src-shared/rpc.ts'
import type { AnswerGuard } from '../host/answer-guard.ts'
import type { Host } from '../host/host.ts'
import { RpcError } from '../host/rpc.ts'
import { CALL, EVENT } from './channels.ts'
import { addressOf, type Page } from './pages.ts'

const MOST_IN_FLIGHT = 64

export interface Door {
  access: Extract<Access, 'window' | 'prompt'>
  page: Page
  /** What this window shows, and since when: an allow counts for nothing else. */
  guard: AnswerGuard
}

interface Guest extends Door {
  inFlight: number
  /** Ends what the page that is there now has asked for. */
  gone: AbortController
}

export interface Ipc {
  /** From now on this window may call the host, and hears of its events. */
  admit: (contents: WebContents, door: Door) => void
}

export function serveIpc(host: Pick<Host, 'dispatch' | 'subscribe'>): Ipc {
  const guests = new WeakMap<WebContents, Guest>()

  const answer = async (event: IpcMainInvokeEvent, raw: unknown): Promise<DesktopAnswer> => {
    const guest = guests.get(event.sender)
    if (guest === undefined || !comesFromPage(event, guest.page)) return fault('forbidden', 'This page has no door to the host.')
    const request = parse(raw)
    if (request === null) return fault('bad params', 'A message must be an object with method and params.')
    if (guest.inFlight >= MOST_IN_FLIGHT) return fault('refused', 'Too many requests at once; wait for an answer.')
    guest.inFlight++
    try {
      const context = { caller: null, signal: guest.gone.signal, waiting: () => {}, guard: guest.guard }
      return { result: (await host.dispatch(guest.access, request.method, request.params, context)) ?? null }
    } catch (error) {
      return error instanceof RpcError ? { error: error.fault } : fault('internal', 'Something went wrong inside Countersign.')
    } finally {
      guest.inFlight--
    }
  }
  ipcMain.handle(CALL, answer)

  return {
    admit: (contents, door) => {
      const guest: Guest = { ...door, inFlight: 0, gone: new AbortController() }
      guests.set(contents, guest)
      const unsubscribe = host.subscribe(door.access, null, (event, data) => {
        if (!contents.isDestroyed() && !contents.isCrashed()) contents.send(EVENT, { event, data })
      })
      const pageGone = () => {
        guest.gone.abort()
        guest.guard.forget()
        guest.gone = new AbortController()
      }
      contents.on('render-process-gone', pageGone)
      contents.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
        if (isMainFrame && !isSameDocument) pageGone()
      })
      contents.once('destroyed', () => {
        unsubscribe()
        pageGone()
      })
    },
  }
}

/** The page itself, not a frame in it, and at the address that we loaded. */
function comesFromPage({ sender, senderFrame }: IpcMainInvokeEvent, page: Page): boolean {
  if (senderFrame === null || senderFrame !== sender.mainFrame) return false
  return senderFrame.url.split('#')[0] === addressOf(page)
}

function parse(raw: unknown): { method: string; params: unknown } | null {
  if (typeof raw !== 'object' || raw === null || !('method' in raw) || typeof raw.method !== 'string') return null
  if (!Object.keys(raw).every((key) => key === 'method' || key === 'params')) return null
  return { method: raw.method, params: 'params' in raw ? raw.params : {} }
}

function fault(code: RpcFault['code'], message: string): { error: RpcFault } {
  return { error: { code, message } }
}
