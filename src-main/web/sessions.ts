// Who has entered the PIN. Sessions live in memory alone: a restart of the host logs everybody out.

import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const IDLE_MS = 12 * 60 * 60 * 1000
const MOST = 64

export interface Session {
  readonly id: string
  used: number
}

export interface Sessions {
  /** Opens a session and returns the token for its cookie. It is kept only as a hash. */
  open: () => string
  /** True for the cookie of an open session. It opens nothing without its page token. */
  has: (cookie: string | null) => cookie is string
  /** What a page has to send beside this cookie. */
  pageToken: (cookie: string) => string
  /** The session of this cookie and page token, marked as used now; null when they are not a pair or it was idle too long. */
  find: (cookie: string | null, pageToken: string | null) => Session | null
  touch: (session: Session) => void
  end: (session: Session) => void
  endOthers: (own: Session) => void
  /** Ends what was idle too long. */
  sweep: () => void
}

export function createSessions(now: () => number, onEnd: (session: Session) => void): Sessions {
  // Oldest use first: a session moves to the end whenever it is used.
  const sessions = new Map<string, Session>()
  // The page token is derived, so that nothing has to be kept of it and every tab of a session has the same.
  const key = randomBytes(32)
  const pageToken = (cookie: string): string => createHmac('sha256', key).update(cookie).digest('base64url')

  function end(session: Session): void {
    if (sessions.delete(session.id)) onEnd(session)
  }

  function touch(session: Session): void {
    session.used = now()
    if (sessions.delete(session.id)) sessions.set(session.id, session)
  }

  function sweep(): void {
    for (const session of sessions.values()) if (now() - session.used >= IDLE_MS) end(session)
  }

  return {
    open: () => {
      sweep()
      for (const oldest of sessions.values()) if (sessions.size >= MOST) end(oldest)
      const token = randomBytes(32).toString('base64url')
      const session = { id: hash(token), used: now() }
      sessions.set(session.id, session)
      return token
    },
    has: (cookie): cookie is string => {
      sweep()
      return cookie !== null && sessions.has(hash(cookie))
    },
    pageToken,
    find: (cookie, given) => {
      if (cookie === null || given === null || !isSame(given, pageToken(cookie))) return null
      sweep()
      // Looking up a hash leaks no timing about the cookie.
      const session = sessions.get(hash(cookie)) ?? null
      if (session !== null) touch(session)
      return session
    },
    touch,
    end,
    endOthers: (own) => {
      for (const session of sessions.values()) if (session !== own) end(session)
    },
    sweep,
  }
}

function hash(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
