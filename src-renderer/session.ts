// Logging in and out of the headless page. The session is a cookie that no script can read, and a token beside it that no other
// origin can: another port of this computer is sent the cookie too.

import { PAGE_TOKEN_HEADER, type LoginMode } from '../src-shared/login.ts'

export interface Session {
  mode: LoginMode
  loggedIn: boolean
}

export type LoginResult = { ok: true; session: Session } | { ok: false; message: string; waitMs: number }

const STORED_AS = 'page-token'
const UNREACHABLE = 'Countersign cannot be reached. Is it still running?'

/** Kept for this tab, over a reload; and for as long as the page stands where the browser keeps nothing. */
let heldToken = ''

export function pageToken(): string {
  try {
    return sessionStorage.getItem(STORED_AS) ?? heldToken
  } catch {
    return heldToken
  }
}

function keepPageToken(token: string): void {
  heldToken = token
  try {
    sessionStorage.setItem(STORED_AS, token)
  } catch {
    // The next reload asks for the PIN again.
  }
}

export async function readSession(): Promise<Session> {
  const response = await request('/session', { method: 'GET' })
  return (await response.json()) as Session // Our own server's answer, from our own origin.
}

export async function logIn(secret: string, code?: string): Promise<LoginResult> {
  try {
    const response = await post('/login', code === undefined ? { secret } : { secret, code })
    if (response.ok) {
      const { pageToken: token, ...session } = (await response.json()) as Session & { pageToken: string } // As above.
      keepPageToken(token)
      return { ok: true, session }
    }
    const { error, waitMs } = (await response.json()) as { error: string; waitMs?: number } // As above.
    return { ok: false, message: error, waitMs: waitMs ?? 0 }
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : UNREACHABLE, waitMs: 0 }
  }
}

export async function logOut(): Promise<Session> {
  const response = await post('/logout', {})
  keepPageToken('')
  return (await response.json()) as Session // As above.
}

interface Request {
  method: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string
}

function post(path: string, body: object): Promise<Response> {
  return request(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
}

async function request(path: string, init: Request): Promise<Response> {
  try {
    const headers = { ...init.headers, [PAGE_TOKEN_HEADER]: pageToken() }
    return await fetch(path, { ...init, headers, cache: 'no-store', credentials: 'same-origin' })
  } catch (error) {
    throw new Error(UNREACHABLE, { cause: error })
  }
}
