// What the doctor found, and what to do about it.

/** `note`: nothing is broken, but it may be news. */
export type Level = 'ok' | 'note' | 'trouble'

export interface Finding {
  /** The part that was looked at. */
  check: string
  level: Level
  text: string
  /** Null where there is nothing to do. */
  next: string | null
}

export const ok = (check: string, text: string): Finding => ({ check, level: 'ok', text, next: null })
export const note = (check: string, text: string, next: string | null = null): Finding => ({ check, level: 'note', text, next })
export const trouble = (check: string, text: string, next: string): Finding => ({ check, level: 'trouble', text, next })
