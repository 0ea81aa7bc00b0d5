import { useLayoutEffect, useState, type RefObject } from 'react'
import { createGuard, type Guard } from './guard.ts'

/** A guard over the element of `ref`. It starts anew when `content` changes, when the element moves, and when the page is shown again. */
export function useGuard(ref: RefObject<HTMLElement | null>, content: string): { guard: Guard; isOpen: boolean } {
  const [guard] = useState(() => createGuard(() => performance.now()))
  const [openFor, setOpenFor] = useState<string | null>(null)

  // Before the new content is painted, so that no click can fall between the two.
  useLayoutEffect(() => {
    let place = ''
    let frame = 0
    const look = () => {
      const now = placeOf(ref.current)
      if (now !== place) guard.changed()
      place = now
      setOpenFor(guard.isOpen() ? content : null)
      frame = requestAnimationFrame(look)
    }
    guard.changed()
    frame = requestAnimationFrame(look)
    document.addEventListener('visibilitychange', guard.changed)
    return () => {
      cancelAnimationFrame(frame)
      document.removeEventListener('visibilitychange', guard.changed)
    }
  }, [guard, ref, content])

  return { guard, isOpen: openFor === content }
}

function placeOf(element: HTMLElement | null): string {
  if (element === null) return ''
  const { left, top, width, height } = element.getBoundingClientRect()
  // The window itself may be moved under the pointer as well.
  return [window.screenX, window.screenY, left, top, width, height].map(Math.round).join(' ')
}
