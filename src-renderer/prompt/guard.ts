// What stands between a person's hand and an answer they did not mean. A question that has just appeared, changed or moved takes
// no answer for half a second, and neither does a press that began in that time, a held key, the second half of a double click,
// or a script. (A program that drives the real pointer cannot be told from a person.)

const GUARD_MS = 500

/** The parts of a DOM event that matter here. */
export interface Press {
  isTrusted: boolean
  /** Clicks in a row, 0 when no pointer made it. */
  detail?: number
  repeat?: boolean
}

export interface Guard {
  /** What the person sees has changed or moved: wait anew. */
  changed: () => void
  /** What the person has to see is out of sight: nothing counts until it has changed once more. */
  close: () => void
  isOpen: () => boolean
  /** A pointer or key went down on an answer. */
  pressed: (press: Press) => void
  /** That press (or, by a screen reader, no press at all) became a click: does it count? */
  clicked: (click: Press) => boolean
  /** Does a shortcut that answers by itself count? */
  struck: (key: Press) => boolean
}

export function createGuard(now: () => number): Guard {
  let since = now()
  let pressCounts: boolean | null = null
  const isOpen = () => now() - since >= GUARD_MS
  const restartAt = (time: number) => {
    since = time
    // A press that began on what was there before belongs to that.
    pressCounts = pressCounts === null ? null : false
  }
  return {
    changed: () => restartAt(now()),
    close: () => restartAt(Number.POSITIVE_INFINITY),
    isOpen,
    pressed: (press) => {
      pressCounts = press.isTrusted && press.repeat !== true && isOpen()
    },
    clicked: (click) => {
      const began = pressCounts ?? true
      pressCounts = null
      return began && click.isTrusted && (click.detail ?? 0) <= 1 && isOpen()
    },
    struck: (key) => key.isTrusted && key.repeat !== true && isOpen(),
  }
}
