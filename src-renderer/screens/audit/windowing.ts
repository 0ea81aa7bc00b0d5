// Which rows of a long list are in view. A browser draws no element taller than some ten million pixels, so a longer list gets a
// shorter track: wheel and keys still move pixel by pixel, and only a pull at the scroll bar goes by proportion.

export const ROW = 32
const TALLEST = 8_000_000

export interface Track {
  rows: number
  /** Height of what can be seen, in pixels. */
  view: number
}

/** Where the list stands: `offset` pixels of rows above the view, and the scroll bar that stands for it. */
export interface Place {
  offset: number
  scrollTop: number
}

export function trackHeight({ rows, view }: Track): number {
  return Math.max(Math.min(rows * ROW, TALLEST), view)
}

function lastOffset({ rows, view }: Track): number {
  return Math.max(0, rows * ROW - view)
}

function lastScrollTop(track: Track): number {
  return trackHeight(track) - track.view
}

/** Near its ends the bar moves with the rows, pixel by pixel; what is between is the shorter track. */
const EDGE = 200_000

/** The list at this offset, with the scroll bar where it belongs. */
export function placeAt(track: Track, offset: number): Place {
  const last = lastOffset(track)
  const kept = Math.min(Math.max(0, offset), last)
  return { offset: kept, scrollTop: carry(kept, last, lastScrollTop(track)) }
}

/** A place on a way of one length, on a way of another. */
function carry(at: number, length: number, other: number): number {
  if (length === other) return at
  if (at <= EDGE) return at
  if (at >= length - EDGE) return other - (length - at)
  return EDGE + ((at - EDGE) / (length - 2 * EDGE)) * (other - 2 * EDGE)
}

/** After the scroll bar came to `scrollTop`. */
export function scrolled(track: Track, before: Place, scrollTop: number): Place {
  const last = lastOffset(track)
  const end = lastScrollTop(track)
  const moved = scrollTop - before.scrollTop
  if (Math.abs(moved) > track.view * 2) return { offset: carry(scrollTop, end, last), scrollTop }
  const offset = Math.min(Math.max(0, before.offset + moved), last)
  // At either end of its track the bar could not go on, although the rows could.
  return scrollTop <= 0 || scrollTop >= end ? placeAt(track, offset) : { offset, scrollTop }
}

/** The offset nearest to `offset` that has the whole row in view. */
export function offsetShowing({ view }: Track, offset: number, row: number): number {
  const top = row * ROW
  if (top < offset) return top
  return Math.max(offset, top + ROW - view)
}

export interface Visible {
  first: number
  /** Not included. */
  end: number
  /** Pixels of the first row above the view. */
  shift: number
}

export function visible({ rows, view }: Track, offset: number): Visible {
  const first = Math.min(Math.floor(offset / ROW), rows)
  return { first, end: Math.min(rows, Math.ceil((offset + view) / ROW)), shift: offset - first * ROW }
}
