import { useState } from 'react'
import { showUntrusted } from '../../src-shared/untrusted.ts'
import css from './untrusted.module.css'

const MOST_EXPANDED = 1000

/** A string that somebody else chose: one bounded line in which nothing hides, and the rest of it on request. */
export function Untrusted({ text, max = 50 }: { text: string; max?: number }) {
  const [open, setOpen] = useState(false)
  const short = showUntrusted(text, max)
  const long = showUntrusted(text, MOST_EXPANDED)
  if (short === long) return <bdi className={css.text}>{short}</bdi>
  return (
    <>
      <bdi className={open ? css.long : css.text}>{open ? long : short}</bdi>{' '}
      <button type="button" className={css.more} aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? 'less' : 'more'}
      </button>
    </>
  )
}
