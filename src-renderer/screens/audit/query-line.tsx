import { useEffect, useEffectEvent, useId, useState, type KeyboardEvent, type RefObject } from 'react'
import { flushSync } from 'react-dom'
import type { AuditFacets } from '../../../src-shared/audit.ts'
import { suggest } from '../../../src-shared/query-edits.ts'
import { parseQuery } from '../../../src-shared/query.ts'
import { showUntrusted } from '../../../src-shared/untrusted.ts'
import css from './query-line.module.css'

/** While somebody types, the list follows after so long. */
const TYPING_MS = 250
const counts = new Intl.NumberFormat('en')

interface Props {
  field: RefObject<HTMLInputElement | null>
  query: string
  /** What is wrong with the query, or with the answer to it. */
  fault: string | null
  facets: AuditFacets | null
  onQuery: (query: string, how: 'typing' | 'done') => void
  /** Where to go when done. */
  leave: () => void
}

/** The text is the state: what is typed here is what is shown, and what is clicked elsewhere appears here. */
export function QueryLine({ field, query, fault, facets, onQuery, leave }: Props) {
  const id = useId()
  const [draft, setDraft] = useState(query)
  const [applied, setApplied] = useState(query)
  const [caret, setCaret] = useState(0)
  const [open, setOpen] = useState(false)
  const [active, setActive] = useState(-1)

  // Changed from outside: by a click, or by Back.
  if (query !== applied) {
    setApplied(query)
    setDraft(query)
  }

  const apply = useEffectEvent((how: 'typing' | 'done') => {
    const text = draft.trim()
    setApplied(text)
    if (text !== query) onQuery(text, how)
  })
  useEffect(() => {
    // Half a word is no question yet.
    if (draft === applied || parseQuery(draft).fault !== null) return
    const timer = setTimeout(() => apply('typing'), TYPING_MS)
    return () => clearTimeout(timer)
  }, [draft, applied])

  const { from, to, list } = suggest(draft, caret, facets)
  const shown = open && list.length > 0

  function take(index: number): void {
    const chosen = list[index]
    if (chosen === undefined) return
    const isField = chosen.text.endsWith(':')
    const text = `${draft.slice(0, from)}${chosen.text}${isField ? '' : ' '}${draft.slice(to).trimStart()}`
    const next = from + chosen.text.length + (isField ? 0 : 1)
    // At once, so that the next key already lands behind what was taken.
    flushSync(() => {
      setDraft(text)
      setCaret(next)
      setActive(-1)
    })
    field.current?.setSelectionRange(next, next)
  }

  function keyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing || event.ctrlKey || event.metaKey) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (!shown) setOpen(true)
      const step = event.key === 'ArrowDown' ? 1 : -1
      setActive((now) => (list.length === 0 ? -1 : (now + step + list.length + (now < 0 && step < 0 ? 1 : 0)) % list.length))
    } else if ((event.key === 'Enter' || event.key === 'Tab') && shown && active >= 0) take(active)
    else if (event.key === 'Enter') {
      setOpen(false)
      apply('done')
      if (parseQuery(draft).fault === null) leave()
    } else if (event.key === 'Escape' && shown) setOpen(false)
    else if (event.key === 'Escape') leave()
    else return
    event.preventDefault()
  }

  return (
    <div className={css.line}>
      <input
        ref={field}
        type="search"
        role="combobox"
        className={css.field}
        value={draft}
        placeholder="Search, or client:cursor outcome:denied last:24h"
        aria-label="Search the log"
        aria-autocomplete="list"
        aria-expanded={shown}
        aria-controls={`${id}-list`}
        aria-activedescendant={shown && active >= 0 ? `${id}-${active}` : undefined}
        aria-invalid={fault !== null}
        aria-describedby={fault === null ? undefined : `${id}-fault`}
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => {
          setDraft(target.value)
          setCaret(target.selectionStart ?? target.value.length)
          setOpen(true)
          setActive(-1)
        }}
        onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart ?? 0)}
        onFocus={() => setOpen(true)}
        onBlur={() => {
          setOpen(false)
          apply('done')
        }}
        onKeyDown={keyDown}
      />
      <ul id={`${id}-list`} role="listbox" aria-label="Suggestions" className={css.list} hidden={!shown}>
        {list.map(({ text, count }, index) => (
          <li
            key={text}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            onPointerDown={(event) => {
              // The focus stays in the field.
              event.preventDefault()
              take(index)
            }}
          >
            <bdi>{showUntrusted(text, 100)}</bdi>
            {count !== null && <span>{counts.format(count)}</span>}
          </li>
        ))}
      </ul>
      {fault !== null && (
        <p id={`${id}-fault`} role="alert" className={css.fault}>
          {showUntrusted(fault, 300)}
        </p>
      )}
    </div>
  )
}
