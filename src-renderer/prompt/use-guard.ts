import { useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { useLink, useLinkState } from '../link/use-host.ts'
import { createGuard, type Guard } from './guard.ts'
import { watchSight } from './sight.ts'

/** Where the host did not count a report (it has yet to tell this page of the request), it is made again. */
const REPORT_AGAIN_MS = 250

interface Shown {
  id: string
  revision: number
}

export interface Guards {
  /** For the answer that changes nothing, which needs no more than a moment. */
  deny: Guard
  isDenyOpen: boolean
  /** For the other one: what it is about has to be in sight as well, and the host has to know. */
  allow: Guard
  isAllowOpen: boolean
  /** What still has to come into sight, or null. */
  unseen: Element | null
}

/**
 * Guards over the element of `ref`, which shows this request. They start anew when `content` changes, when the element moves, and when
 * the page is shown again; the one of Allow also whenever title or warnings leave the view.
 */
export function useGuard(ref: RefObject<HTMLElement | null>, { id, revision }: Shown, content: string): Guards {
  const link = useLink()
  const connected = useLinkState(link) === 'open'
  const [deny] = useState(() => createGuard(() => performance.now()))
  const [allow] = useState(() => createGuard(() => performance.now()))
  const [state, setState] = useState<{ content: string; deny: boolean; allow: boolean; unseen: Element | null } | null>(null)

  const asked = useRef('')

  // Before the new content is painted, so that no click can fall between the two.
  useLayoutEffect(() => {
    let place = ''
    let frame = 0
    let over = false
    /** What the host has been told: nothing, or of being in sight, with its answer still to come, or known to be counted. */
    let report: 'none' | 'sent' | 'counted' = 'none'
    let notBefore = 0
    const sight = watchSight(ref.current)

    const tell = (inSight: boolean) => link.call('approvals.shown', { id, revision, inSight })
    const lose = () => {
      allow.close()
      // It may be out of reach; then it has forgotten.
      if (report !== 'none') void tell(false).catch(() => null)
      report = 'none'
    }
    const gain = async () => {
      report = 'sent'
      const { counted } = await tell(true).catch(() => ({ counted: false }))
      if (over || report !== 'sent') return
      report = counted ? 'counted' : 'none'
      // Its time has begun before ours, so it never refuses what looks open here.
      if (counted) allow.changed()
      else notBefore = performance.now() + REPORT_AGAIN_MS
    }
    const restart = () => {
      deny.changed()
      lose()
    }
    const check = () => {
      const now = placeOf(ref.current)
      const isStill = now === place
      if (!isStill) restart()
      place = now
      const unseen = sight.unseen()
      if (unseen !== null && report !== 'none') lose()
      if (unseen === null && report === 'none' && isStill && connected && performance.now() >= notBefore) void gain()
      const next = { content, deny: deny.isOpen(), allow: allow.isOpen(), unseen: unseen ?? null }
      setState((before) => (before !== null && isSame(before, next) ? before : next))
      frame = requestAnimationFrame(check)
    }
    const request = `${id} ${revision}`
    if (asked.current !== request) deny.changed()
    asked.current = request
    lose()
    frame = requestAnimationFrame(check)
    document.addEventListener('visibilitychange', restart)
    return () => {
      over = true
      cancelAnimationFrame(frame)
      document.removeEventListener('visibilitychange', restart)
      sight.stop()
      lose()
    }
  }, [deny, allow, ref, link, connected, id, revision, content])

  const current = state?.content === content ? state : null
  return { deny, allow, isDenyOpen: current?.deny ?? false, isAllowOpen: current?.allow ?? false, unseen: current?.unseen ?? null }
}

function isSame<T extends object>(one: T, other: T): boolean {
  return (Object.keys(one) as (keyof T)[]).every((key) => one[key] === other[key])
}

function placeOf(element: HTMLElement | null): string {
  if (element === null) return ''
  const { left, top, width, height } = element.getBoundingClientRect()
  // The window itself may be moved under the pointer as well, or change its size.
  return [window.screenX, window.screenY, window.innerWidth, window.innerHeight, left, top, width, height].map(Math.round).join(' ')
}
