import { useId, useState, type RefObject } from 'react'
import css from './value-field.module.css'

interface Props {
  field: RefObject<HTMLTextAreaElement | null>
  label: string
  placeholder?: string | undefined
  rows?: number
  required?: boolean
  onInput?: () => void
}

/** Masked until asked otherwise. What is typed stays in the field alone, not in the state of the page. */
export function ValueField({ field, label, placeholder, rows = 3, required = false, onInput }: Props) {
  const id = useId()
  const [shown, setShown] = useState(false)
  return (
    <div className={css.field}>
      <label htmlFor={id}>{label}</label>
      <textarea
        ref={field}
        id={id}
        rows={rows}
        required={required}
        placeholder={placeholder}
        className={shown ? css.value : css.masked}
        autoCapitalize="none"
        autoCorrect="off"
        autoComplete="off"
        spellCheck={false}
        onInput={onInput}
      />
      {/* Above the field to the eye, after it for the keyboard: one comes here to type. */}
      <button type="button" className="plain" aria-pressed={shown} onClick={() => setShown(!shown)}>
        {shown ? 'Hide' : 'Show'}
      </button>
    </div>
  )
}
