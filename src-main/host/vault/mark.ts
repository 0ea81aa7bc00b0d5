// What the keychain remembers of vault.db: how far its two roots had come. A database may be ahead of its mark, which is written after
// the commit; one that is behind is an older copy.

import { z } from 'zod'
import type { Keychain } from '../ports.ts'
import type { RootMark } from '../rows.ts'

/** The mark of the rows that decide, and beside it the one of the secrets. */
export interface Mark extends RootMark {
  /** Not in marks from before there was a root of secrets. */
  secrets?: RootMark | undefined
}

const ACCOUNT = 'rows-head'
const NOTHING: RootMark = { generation: 0, mac: '' }
/** Stands in the keychain before anything stands in the database, so that later its absence means something. */
const BEGINNING: Mark = { ...NOTHING, secrets: NOTHING }

const rootMarkSchema = z.object({ generation: z.number().int(), mac: z.string() })
const markSchema = rootMarkSchema.extend({ secrets: rootMarkSchema.optional() })

/** A mark that does not parse was edited by hand; like a missing one it proves nothing. */
export async function readMark(keychain: Keychain): Promise<Mark | null> {
  const text = await keychain.get(ACCOUNT)
  if (text === null) return null
  try {
    return markSchema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

export interface MarkWriter {
  write: (changed: Partial<Mark>) => void
  /** Tries once more what could not be written; whether the keychain holds the newest mark. */
  settled: () => Promise<boolean>
}

/** One write at a time, the latest wins. A keychain that is away costs only the newest mark: the one before still holds. */
export async function openMark(keychain: Keychain, found: Mark | null): Promise<MarkWriter> {
  if (found === null) await keychain.set(ACCOUNT, JSON.stringify(BEGINNING))
  let newest = found ?? BEGINNING
  let written = newest
  let running: Promise<void> | null = null
  const run = async (): Promise<void> => {
    try {
      while (written !== newest) {
        const mark = newest
        await keychain.set(ACCOUNT, JSON.stringify(mark))
        written = mark
      }
    } catch {
      // Tried again with the next mark, or by whoever needs it.
    } finally {
      running = null
    }
  }
  return {
    write: (changed) => {
      newest = { ...newest, ...changed }
      running ??= run()
    },
    settled: async () => {
      if (written !== newest) await (running ??= run())
      return written === newest
    },
  }
}
