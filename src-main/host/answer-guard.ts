// What one window or page shows of the open requests, and since when. An allow through that window counts only for a request that the
// host told it of, that it has reported to be in sight, and that has stayed so for a while. Every window and every page's connection
// has a guard of its own: what is shown in one is not shown in another.
//
// A page that lies can report what it does not show. It still cannot answer before the time of the guard has passed since it was told
// of this very revision.

export const GUARD_MS = 500

export interface RequestShown {
  id: string
  revision: number
}

export interface AnswerGuard {
  /** The window has been told of these requests, and of no others. */
  told: (open: readonly RequestShown[]) => void
  /** The window reports whether all of a request is in sight. False when it has not been told of this revision. */
  report: (request: RequestShown, inSight: boolean) => boolean
  /** The window moved, changed its size or came up: whatever it shows has to be in sight from now. */
  restart: () => void
  /** Its page is gone, and has shown nothing so far. */
  forget: () => void
  /** Why an allow through this window does not count, or null. */
  objection: (request: RequestShown) => string | null
}

const NOT_SHOWN = 'Nothing was allowed: this request is not in sight here. Open it, read it, then answer.'
const TOO_SOON = 'Nothing was allowed: this came up, changed or moved only just now. Read it, then answer.'

/** `also`: a further reason why nothing may be allowed through this window now, or null. */
export function createAnswerGuard(now: () => number, also: () => string | null = () => null): AnswerGuard {
  let known = new Set<string>()
  let since = new Map<string, number>()
  return {
    told: (open) => {
      known = new Set(open.map(keyOf))
      since = new Map([...since].filter(([key]) => known.has(key)))
    },
    report: (request, inSight) => {
      const key = keyOf(request)
      if (!inSight) return since.delete(key)
      if (!known.has(key)) return false
      since.set(key, since.get(key) ?? now())
      return true
    },
    restart: () => {
      for (const key of since.keys()) since.set(key, now())
    },
    forget: () => {
      known.clear()
      since.clear()
    },
    objection: (request) => {
      const seen = since.get(keyOf(request))
      if (seen === undefined) return NOT_SHOWN
      return now() - seen < GUARD_MS ? TOO_SOON : also()
    },
  }
}

const keyOf = ({ id, revision }: RequestShown): string => `${id} ${revision}`
