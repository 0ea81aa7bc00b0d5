import { useEffect, useRef } from 'react'
import { useHostData } from '../link/use-host.ts'
import { ApprovalCard } from './approval-card.tsx'
import css from './prompt.module.css'

const APPROVAL_EVENTS = ['approvals'] as const

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

  // The window is as high as the question.
  useEffect(() => {
    const { current } = room
    if (current === null) return
    const observer = new ResizeObserver(() => window.countersign?.fit?.(current.offsetHeight))
    observer.observe(current)
    return () => observer.disconnect()
  }, [])

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
