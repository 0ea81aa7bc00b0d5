// Logging in and out of the headless page. The session itself is a cookie that no script can read.

import type { LoginMode } from '../src-shared/login.ts'

export interface Session {
  mode: LoginMode
  loggedIn: boolean
}

export type LoginResult = { ok: true; session: Session } | { ok: false; message: string; waitMs: number }

const UNREACHABLE = 'Countersign cannot be reached. Is it still running?'

export async function readSession(): Promise<Session> {
  const response = await request('/session', { method: 'GET' })
  return (await response.json()) as Session // Our own server's answer, from our own origin.
}

export async function logIn(secret: string): Promise<LoginResult> {
  try {
    const response = await post('/login', { secret })
    if (response.ok) return { ok: true, session: (await response.json()) as Session } // As above.
    const { error, waitMs } = (await response.json()) as { error: string; waitMs?: number } // As above.
    return { ok: false, message: error, waitMs: waitMs ?? 0 }
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : UNREACHABLE, waitMs: 0 }
  }
}

export async function logOut(): Promise<Session> {
  const response = await post('/logout', {})
  return (await response.json()) as Session // As above.
}

function post(path: string, body: object): Promise<Response> {
  return request(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
}

async function request(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { ...init, cache: 'no-store', credentials: 'same-origin' })
  } catch (error) {
    throw new Error(UNREACHABLE, { cause: error })
  }
}
