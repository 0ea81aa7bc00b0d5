// What happens often, and every time alike, is one counted entry a minute. The first of them is on record before it is answered, so
// that a log which takes nothing refuses it; those that follow within the minute are added up.

import type { Entry } from '../../src-shared/audit.ts'
import { newCallId } from './call.ts'
import type { Clock } from './ports.ts'

export interface JoinedCounts {
  /** Rejects when it cannot be recorded. */
  count: (entry: Entry) => Promise<void>
  /** Writes what is still due, at the end. */
  close: () => Promise<void>
}

interface Minute {
  entry: Entry
  first: Promise<unknown>
  more: number
  /** The log would not take what was due; nothing more is counted before it has. */
  unwritten: boolean
  stop: () => void
}

const JOINED_MS = 60_000

export function createJoinedCounts(clock: Clock, append: (entry: Entry) => Promise<unknown>): JoinedCounts {
  const minutes = new Map<string, Minute>()

  const write = (entry: Entry, count: number): Promise<unknown> =>
    append({ ...entry, call: newCallId(), detail: { ...entry.detail, count } })

  async function writeRest(minute: Minute): Promise<void> {
    const count = minute.more
    if (count === 0) return
    minute.more = 0
    try {
      await write(minute.entry, count)
      minute.unwritten = false
    } catch (error) {
      minute.more += count
      minute.unwritten = true
      throw error
    }
  }

  function begin(key: string, entry: Entry): Minute {
    const minute: Minute = { entry, first: write(entry, 1), more: 0, unwritten: false, stop: () => {} }
    const endLater = (): void => {
      minute.stop = clock.after(JOINED_MS, () => {
        if (minute.more === 0) return void minutes.delete(key)
        endLater()
        // Whoever asks next hears why.
        writeRest(minute).catch(() => {})
      })
    }
    endLater()
    minutes.set(key, minute)
    minute.first.catch(() => {
      minute.stop()
      minutes.delete(key)
    })
    return minute
  }

  return {
    async count(entry) {
      const key = JSON.stringify(entry)
      const minute = minutes.get(key)
      if (minute === undefined) return void (await begin(key, entry).first)
      await minute.first
      if (minute.unwritten) await writeRest(minute)
      minute.more++
    },
    async close() {
      for (const minute of minutes.values()) {
        minute.stop()
        await writeRest(minute)
      }
      minutes.clear()
    },
  }
}
