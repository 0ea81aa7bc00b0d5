import type { ReactNode } from 'react'
import css from './setting.module.css'

/** A line of the settings: what it is on the left, how it is set on the right, what that means below. */
export function Setting({ label, help, htmlFor, children }: { label: string; help: ReactNode; htmlFor?: string; children: ReactNode }) {
  return (
    <div className={css.setting}>
      <div>
        {htmlFor === undefined ? <span className={css.label}>{label}</span> : <label htmlFor={htmlFor}>{label}</label>}
        <p className="soft" id={htmlFor === undefined ? undefined : `${htmlFor}-help`}>
          {help}
        </p>
      </div>
      <div className={css.control}>{children}</div>
    </div>
  )
}
