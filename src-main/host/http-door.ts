// What the HTTP endpoint needs of the host beyond the rpc door: whose token it was shown, when a client's streams must end, and
// somebody to tell how it fares.

import type { Client } from '../../src-shared/client.ts'
import type { HttpState } from '../../src-shared/rpc.ts'
import type { Settings } from '../../src-shared/settings.ts'
import type { Core } from './core.ts'
import type { Clock } from './ports.ts'
import { systemEntry } from './record.ts'
import { reportsMistakes } from './unattended.ts'
import type { Proof } from './tokens.ts'

/** What was wrong with a request that never became one of a client's. */
export type Refused = 'page' | 'token'

export interface HttpDoor {
  /** Null for a token that is nobody's, and while the vault is shut. */
  recognise: (token: string) => Proof | null
  /** Whom that lets in now; null when it does so no longer. */
  admit: (proof: Proof) => Client | null
  /** Null while the vault is shut: what is set is not known then. */
  settings: () => Settings['http'] | null
  /** Calls back when a client is no longer one, or must come in anew. */
  onEnded: (listener: (clientId: string) => void) => () => void
  /** For the log, counted: somebody who knocks all day must not fill it. */
  refused: (why: Refused) => void
  /** How it stands with the endpoint; null when it is switched off. */
  report: (state: HttpState | null) => void
}

export interface HttpDoorParts {
  /** Null while the vault is shut. */
  core: () => Core | null
  clock: Clock
  /** The status is not what it was. */
  changed: () => void
  reportBug: (error: unknown) => void
}

const COUNTED_MS = 60_000

export function createHttpDoor({ core, clock, changed, reportBug }: HttpDoorParts) {
  const reportMistake = reportsMistakes(reportBug)
  const listeners = new Set<(clientId: string) => void>()
  const counts = new Map<Refused, { more: number; stop: () => void }>()
  let state: HttpState | null = null

  const record = (event: string, detail: Record<string, string | number>): void => {
    // Nobody waits for these entries. When the log takes nothing more, every call is refused with the reason already.
    core()?.journal.append(systemEntry(event, { detail })).catch(reportMistake)
  }

  const recordRest = (why: Refused): void => {
    const { more, stop } = counts.get(why) ?? { more: 0, stop: () => {} }
    stop()
    counts.delete(why)
    if (more > 0) record('http.refused', { why, count: more })
  }

  return {
    door: {
      recognise: (token) => core()?.tokens.recognise(token) ?? null,
      admit: (proof) => core()?.tokens.admit(proof) ?? null,
      settings: () => core()?.settings.get().http ?? null,
      onEnded: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      refused: (why) => {
        const counted = counts.get(why)
        if (counted !== undefined) return void counted.more++
        record('http.refused', { why, count: 1 })
        counts.set(why, { more: 0, stop: clock.after(COUNTED_MS, () => recordRest(why)) })
      },
      report: (next) => {
        if (JSON.stringify(next) === JSON.stringify(state)) return
        state = next
        record(next === null ? 'http.closed' : 'url' in next ? 'http.opened' : 'http.failed', { ...next })
        changed()
      },
    } satisfies HttpDoor,
    state: () => state,
    /** Records what is still due, while there is a log. */
    close: (): void => {
      for (const why of counts.keys()) recordRest(why)
    },
    end: (clientId: string): void => {
      for (const listener of listeners) listener(clientId)
    },
  }
}
