// How often each shape occurred in an hour. One row per pair of hour and shape would be nearly as many as there are entries, so
// the pairs of an hour are packed into a few blobs, one per 16,384 shapes: a commit rewrites little, and a year reads in no time.

const SHAPES_PER_SLOT = 16_384
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

/** Shape and count, shape and count, and so on, by shape. */
export function unpackCounts(blob: unknown): Uint32Array {
  if (!(blob instanceof Uint8Array)) return new Uint32Array(0)
  const aligned = blob.byteOffset % 4 === 0 ? blob : blob.slice()
  return new Uint32Array(aligned.buffer, aligned.byteOffset, Math.floor(aligned.byteLength / 8) * 2)
}

/** The counts after these changes, still by shape and without zeros. */
export function changedCounts(pairs: Uint32Array, changes: ReadonlyMap<number, number>): Uint32Array {
  const sorted = [...changes].toSorted(([a], [b]) => a - b)
  const result = new Uint32Array(pairs.length + sorted.length * 2)
  let length = 0
  let at = 0
  for (const [shape, change] of sorted) {
    const start = at
    while (at < pairs.length && (pairs[at] ?? 0) < shape) at += 2
    result.set(pairs.subarray(start, at), length)
    length += at - start
    const before = pairs[at] === shape ? (pairs[at + 1] ?? 0) : 0
    if (pairs[at] === shape) at += 2
    if (before + change <= 0) continue
    result[length] = shape
    result[length + 1] = before + change
    length += 2
  }
  result.set(pairs.subarray(at), length)
  return result.slice(0, length + pairs.length - at)
}
