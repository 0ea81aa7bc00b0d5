// Chance that can be had again: everything random in a run comes from its seed and from what it is asked for, not from when.

export interface Chance {
  /** From 0 up to, not including, `limit`. */
  below: (limit: number) => number
  pick: <T>(list: readonly T[]) => T
  /** True in one of `times` cases. */
  oneIn: (times: number) => boolean
}

/** The same seed and labels give the same numbers, whatever was drawn elsewhere meanwhile. */
export function chance(seed: number, ...labels: (string | number)[]): Chance {
  let state = hash(`${seed}/${labels.join('/')}`)
  // Mulberry32: small, and good enough to choose whom to kill.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    pick: (list) => {
      const one = list[below(list.length)]
      if (one === undefined) throw new Error('There is nothing to pick from.')
      return one
    },
    oneIn: (times) => below(times) === 0,
  }
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value
}
