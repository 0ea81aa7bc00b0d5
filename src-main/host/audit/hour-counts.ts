import type { DatabaseSync } from 'node:sqlite'
import { hourOfSlot, slotsBetween, unpackCounts } from './counts.ts'

const FIRST_CHUNK = 32
const LARGEST_CHUNK = 2_048

/** The counters of these hours, up to `endHour`, which is not included. An hour may come in several parts. */
export function* hourCounts(
  db: DatabaseSync,
  firstHour: number,
  endHour: number,
  order: 'ASC' | 'DESC',
): Generator<{ hour: number; pairs: Uint32Array }> {
  const slots = db.prepare(`SELECT slot, pairs FROM counts WHERE slot BETWEEN ? AND ? ORDER BY slot ${order} LIMIT ?`)
  slots.setReturnArrays(true)
  let [from, to] = slotsBetween(firstHour, endHour)
  // Taken many at once, because asking for each by itself takes SQLite's binding longer than counting what is in it.
  for (let size = FIRST_CHUNK; ; size = Math.min(size * 2, LARGEST_CHUNK)) {
    // An integer and a blob of a STRICT table, in an array although the types speak of objects.
    const chunk = slots.all(from, to, size) as unknown as [number, Uint8Array][]
    for (const [slot, pairs] of chunk) yield { hour: hourOfSlot(slot), pairs: unpackCounts(pairs) }
    const last = chunk.at(-1)
    if (last === undefined || chunk.length < size) return
    if (order === 'ASC') from = last[0] + 1
    else to = last[0] - 1
  }
}
