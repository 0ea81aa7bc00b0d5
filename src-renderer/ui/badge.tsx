import type { ReactNode } from 'react'
import css from './badge.module.css'
import tints from './tints.module.css'

export type Tone = 'good' | 'bad' | 'warn' | 'quiet'

interface Props {
  tone: Tone
  /** For the eye; the word beside it says the same. */
  glyph?: string
  title?: string
  children: ReactNode
}

/** Word, glyph and tint together: colour never speaks alone. */
export function Badge({ tone, glyph, title, children }: Props) {
  return (
    <span className={`${css.badge} ${tints[tone]}`} title={title}>
      {glyph !== undefined && <span aria-hidden="true">{glyph} </span>}
      {children}
    </span>
  )
}
