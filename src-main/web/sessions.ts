// Who has entered the PIN. Sessions live in memory alone: a restart of the host logs everybody out.

import { createHash, randomBytes } from 'node:crypto'

const IDLE_MS = 12 * 60 * 60 * 1000
const MOST = 64

export interface Session {
  readonly id: string
  used: number
}

export interface Sessions {
  /** Opens a session and returns the token for its cookie. It is kept only as a hash. */
  open: () => string
  /** The session of this token, marked as used now; null when there is none or it was idle too long. */
  find: (token: string | null) => Session | null
  touch: (session: Session) => void
  end: (session: Session) => void
  endOthers: (own: Session) => void
  /** Ends what was idle too long. */
  sweep: () => void
}

export function createSessions(now: () => number, onEnd: (session: Session) => void): Sessions {
  // Oldest use first: a session moves to the end whenever it is used.
  const sessions = new Map<string, Session>()

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
    find: (token) => {
      if (token === null) return null
      sweep()
      // Looking up a hash leaks no timing about the token.
      const session = sessions.get(hash(token)) ?? null
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
