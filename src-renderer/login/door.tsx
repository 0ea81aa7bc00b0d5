import type { ReactNode } from 'react'
import { Mark } from '../ui/mark.tsx'
import css from './door.module.css'

/** The small panel that stands before everything else. */
export function Door({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className={css.room}>
      <section className={css.panel} aria-labelledby="door-title">
        <p className={css.brand}>
          <Mark /> Countersign
        </p>
        <h1 id="door-title">{title}</h1>
        {children}
      </section>
    </main>
  )
}
