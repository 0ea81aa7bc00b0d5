import type { KeyboardEvent, MouseEvent, ReactNode } from 'react'
import css from './answer-button.module.css'
import type { Guard } from './guard.ts'

interface Props {
  guard: Guard
  ready: boolean
  /** The answer that changes nothing: it gets the first focus, and Enter. */
  safe?: boolean
  /** The element that says why it cannot be pressed. */
  why?: string | undefined
  onAnswer: () => void
  children: ReactNode
}

/** Stays focusable while it is inert, so that the focus has a place to be. */
export function AnswerButton({ guard, ready, safe = false, why, onAnswer, children }: Props) {
  function keyDown(event: KeyboardEvent): void {
    const strikes = event.key === 'Enter' || event.key === ' '
    if (!strikes || event.ctrlKey || event.metaKey) return
    // Enter alone never allows; a held key never answers at all.
    if (event.repeat || (event.key === 'Enter' && !safe)) event.preventDefault()
    guard.pressed(event.nativeEvent)
  }

  function click(event: MouseEvent): void {
    if (guard.clicked(event.nativeEvent) && ready) onAnswer()
  }

  return (
    <button
      type="button"
      className={safe ? css.safe : css.other}
      aria-disabled={!ready}
      aria-describedby={why}
      data-safe={safe ? '' : undefined}
      data-allows={safe ? undefined : ''}
      onPointerDown={(event) => guard.pressed({ isTrusted: event.nativeEvent.isTrusted })}
      onKeyDown={keyDown}
      onClick={click}
    >
      {children}
    </button>
  )
}
