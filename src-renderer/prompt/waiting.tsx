import { useEffect, useId, useRef } from 'react'
import { showUntrusted } from '../../src-shared/untrusted.ts'
import { useHostData } from '../link/use-host.ts'
import { ApprovalCard } from './approval-card.tsx'
import css from './waiting.module.css'
import { wants } from './words.ts'

const APPROVAL_EVENTS = ['approvals'] as const

/** Every open question, oldest first; nothing at all while there is none. */
export function Waiting() {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const { data, at, error } = useHostData('approvals.list', {}, APPROVAL_EVENTS)
  const open = data?.open.toSorted((a, b) => a.opened - b.opened) ?? []
  const ids = open.map((view) => view.id).join(' ')
  const [first] = open

  useEffect(() => {
    if (ids !== '' && !isBusy(list.current)) list.current?.querySelector<HTMLElement>('[data-safe]')?.focus()
  }, [ids])

  return (
    <section aria-labelledby={`${id}-title`} aria-busy={data === null} className={css.waiting} hidden={open.length === 0 && error === null}>
      <h2 id={`${id}-title`} className={css.title}>
        Waiting for you {open.length > 0 && <span className={css.count}>{open.length}</span>}
      </h2>
      <p role="alert" className="unseen">
        {first !== undefined &&
          `${showUntrusted(first.clientName)} ${wants(showUntrusted(first.tool))} ${showUntrusted(first.secret ?? first.file ?? '', 130)}. ${open.length} waiting.`}
      </p>
      {error !== null && <p role="alert">{error}</p>}
      <div ref={list} className={css.list}>
        {open.map((view, index) => (
          <ApprovalCard
            key={view.id}
            view={view}
            hostNow={data?.now ?? 0}
            at={at}
            isFirst={index === 0}
            place={open.length > 1 ? `${index + 1} of ${open.length}` : null}
          />
        ))}
      </div>
    </section>
  )
}

/**
 * The safe answer gets the focus, unless the person types or moves through a list, which must not end in an answer, or is at
 * another question already.
 */
function isBusy(list: HTMLElement | null): boolean {
  const focused = document.activeElement
  return (
    focused instanceof HTMLTextAreaElement ||
    focused?.matches('input:not([type=checkbox]), select, [role=grid]') === true ||
    document.querySelector('dialog[open]') !== null ||
    list?.contains(focused) === true
  )
}
