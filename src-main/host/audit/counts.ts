// How often each shape occurred in an hour. One row per pair of hour and shape would be nearly as many as there are entries, so
// the pairs of an hour are packed into a few blobs, one per 4,096 shapes: a commit rewrites little, and a year reads in no time.

const SHAPES_PER_SLOT = 4_096
const SLOTS_PER_HOUR = 65_536

export function slotOf(hour: number, shape: number): number {
  return hour * SLOTS_PER_HOUR + Math.floor(shape / SHAPES_PER_SLOT)
}

/** From the first slot of one hour up to the first slot of another, which is not included. */
export function slotsBetween(hour: number, endHour: number): [from: number, to: number] {
  return [hour * SLOTS_PER_HOUR, endHour * SLOTS_PER_HOUR - 1]
}

export function hourOfSlot(slot: number): number {
  return Math.floor(slot / SLOTS_PER_HOUR)
}

/** Shape and count, shape and count, and so on. A copy, because SQLite hands out bytes that are not aligned. */
export function unpackCounts(blob: unknown): Uint32Array {
  if (!(blob instanceof Uint8Array)) return new Uint32Array(0)
  return new Uint32Array(blob.slice().buffer, 0, Math.floor(blob.byteLength / 8) * 2)
}

export function packCounts(counts: ReadonlyMap<number, number>): Uint8Array {
  const pairs = Uint32Array.from([...counts].toSorted(([a], [b]) => a - b).flat())
  return new Uint8Array(pairs.buffer)
}

export function countsOf(pairs: Uint32Array): Map<number, number> {
  const counts = new Map<number, number>()
  for (let at = 0; at + 1 < pairs.length; at += 2) counts.set(pairs[at] ?? 0, pairs[at + 1] ?? 0)
  return counts
}
