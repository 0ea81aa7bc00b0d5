import { useEffect, useLayoutEffect, useRef } from 'react'
import { useHostData } from '../link/use-host.ts'
import { ApprovalCard } from './approval-card.tsx'
import css from './prompt.module.css'

const APPROVAL_EVENTS = ['approvals'] as const

/** What it would take if its facts did not have to scroll. */
function heightOf(room: HTMLElement): number {
  const facts = room.querySelector('[data-facts]')
  const scrolled = facts?.scrollTop ?? 0
  room.style.maxHeight = 'none'
  // Whole pixels upwards: where a fraction of one is missing, the facts have a scroll bar.
  const height = Math.ceil(room.getBoundingClientRect().height)
  room.style.maxHeight = ''
  if (facts !== null) facts.scrollTop = scrolled
  return height
}

/** The oldest open question alone; the next one follows when it is answered. */
export function Prompt() {
  const room = useRef<HTMLElement>(null)
  const { data, at, error } = useHostData('approvals.list', {}, APPROVAL_EVENTS)
  const open = data?.open.toSorted((a, b) => a.opened - b.opened) ?? []
  const [first] = open

  const id = first?.id

  // Nothing dangerous has the focus.
  useEffect(() => {
    if (id !== undefined) room.current?.querySelector<HTMLElement>('[data-safe]')?.focus({ preventScroll: true })
  }, [id])

  // The window is as high as the question. Told at once, and not only when it is painted: a hidden window comes up at this height.
  const request = first === undefined ? null : `${first.id} ${first.revision}`
  useLayoutEffect(() => {
    const { current } = room
    if (current === null || request === null) return
    const tell = () => window.countersign?.fit?.(heightOf(current), request)
    tell()
    const observer = new ResizeObserver(tell)
    for (const element of [current, ...current.querySelectorAll('[data-facts], [data-facts] > *')]) observer.observe(element)
    return () => observer.disconnect()
  }, [request])

  return (
    <main ref={room} className={css.prompt} aria-live="assertive">
      {error !== null && <p role="alert">{error}</p>}
      {first !== undefined && (
        <ApprovalCard
          key={first.id}
          view={first}
          hostNow={data?.now ?? 0}
          at={at}
          isFirst
          place={open.length > 1 ? `1 of ${open.length}` : null}
        />
      )}
    </main>
  )
}
