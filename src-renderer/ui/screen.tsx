import type { ReactNode } from 'react'
import css from './screen.module.css'

/** The head of a screen: what it is, and what can be done here. */
export function ScreenHead({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <header className={css.head}>
      <h2>{title}</h2>
      {children}
    </header>
  )
}

/** Where nothing is yet: what will be here, and the one action that makes it happen. */
export function Empty({ title, children, action }: { title: string; children: ReactNode; action?: ReactNode }) {
  return (
    <section className={css.empty}>
      <h3>{title}</h3>
      <p>{children}</p>
      {action}
    </section>
  )
}

/** A question that could not be answered. What was known before stays on the screen. */
export function Trouble({ error }: { error: string | null }) {
  return error === null ? null : (
    <p role="alert" className={css.trouble}>
      {error}
    </p>
  )
}
