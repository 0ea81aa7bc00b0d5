import { useState } from 'react'
import { lookalikeMark } from '../../src-shared/lookalikes.ts'
import { showPath, showUntrusted } from '../../src-shared/untrusted.ts'
import css from './untrusted.module.css'

const MOST_EXPANDED = 1000

const NONE: readonly string[] = []

interface Props {
  text: string
  max?: number
  quoted?: boolean
  /** Its end tells as much as its beginning. */
  path?: boolean
  /** Names that this one must not be taken for. */
  known?: readonly string[]
}

/** A string that somebody else chose: one bounded line in which nothing hides, and the rest of it on request. */
export function Untrusted({ text, max = 50, quoted = false, path = false, known = NONE }: Props) {
  const [open, setOpen] = useState(false)
  const short = path ? showPath(text, max) : showUntrusted(text, max)
  const long = showUntrusted(text, MOST_EXPANDED)
  const shown = open ? long : short
  const mark = lookalikeMark(text.slice(0, MOST_EXPANDED), known)
  return (
    <>
      <bdi className={open ? css.long : css.text}>{quoted ? `“${shown}”` : shown}</bdi>
      {mark !== null && <span className={css.mark}> ! {mark}</span>}
      {short !== long && (
        <>
          {' '}
          <button type="button" className={css.more} aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? 'less' : 'more'}
          </button>
        </>
      )}
    </>
  )
}

/** The same where there is room for one line alone: in the row of a table. */
export function Line({ text, max = 60 }: { text: string; max?: number }) {
  return <bdi className={css.text}>{showUntrusted(text, max)}</bdi>
}
