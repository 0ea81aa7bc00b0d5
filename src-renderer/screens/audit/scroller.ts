// Scrolling over any number of rows: `outer` scrolls, `track` is as tall as the list, and `pane` stays in view and holds the rows
// that are. Sizes are set on the elements themselves, because the page's policy allows no style in its markup.

import { offsetShowing, placeAt, ROW, scrolled, trackHeight, visible, type Place, type Visible } from './windowing.ts'

const SETTLE_MS = 200

export interface Scroller {
  setRows: (rows: number) => void
  toTop: () => void
  /** Scrolls no further than needed. */
  show: (row: number) => void
  /** Rows to go by when a page is turned. */
  page: () => number
  detach: () => void
}

interface Elements {
  outer: HTMLElement
  track: HTMLElement
  pane: HTMLElement
}

export function attachScroller({ outer, track, pane }: Elements, onVisible: (visible: Visible) => void): Scroller {
  let place: Place = { offset: 0, scrollTop: 0 }
  let size = { rows: 0, view: outer.clientHeight }
  let settling: ReturnType<typeof setTimeout> | null = null

  function paint(): void {
    const shown = visible(size, place.offset)
    pane.style.setProperty('--shift', `${-shown.shift}px`)
    onVisible(shown)
  }

  function go(offset: number): void {
    place = placeAt(size, offset)
    outer.scrollTop = place.scrollTop
    paint()
  }

  function resize(next: typeof size): void {
    size = next
    track.style.setProperty('height', `${trackHeight(size)}px`)
    pane.style.setProperty('height', `${size.view}px`)
    go(place.offset)
  }

  /** When the wheel rests, the bar goes to where the rows are. */
  function settle(): void {
    if (Math.abs(placeAt(size, place.offset).scrollTop - place.scrollTop) >= 1) go(place.offset)
  }

  function onScroll(): void {
    // Our own correction of the bar comes back as an event, rounded.
    if (Math.abs(outer.scrollTop - place.scrollTop) < 1) return
    place = scrolled(size, place, outer.scrollTop)
    paint()
    if (settling !== null) clearTimeout(settling)
    settling = setTimeout(settle, SETTLE_MS)
  }

  const observer = new ResizeObserver(() => resize({ ...size, view: outer.clientHeight }))
  observer.observe(outer)
  outer.addEventListener('scroll', onScroll, { passive: true })
  return {
    setRows: (rows) => resize({ ...size, rows }),
    toTop: () => go(0),
    show: (row) => {
      const offset = offsetShowing(size, place.offset, row)
      if (offset !== place.offset) go(offset)
    },
    page: () => Math.max(1, Math.floor(size.view / ROW) - 1),
    detach: () => {
      observer.disconnect()
      outer.removeEventListener('scroll', onScroll)
      if (settling !== null) clearTimeout(settling)
    },
  }
}
