import { useId, useRef, useState, type FormEvent } from 'react'
import { useLink } from '../../link/use-host.ts'
import { useAction } from '../../ui/use-action.ts'
import css from './change-pin.module.css'

/** The PINs stay in their fields alone. */
export function ChangePin() {
  const id = useId()
  const link = useLink()
  const action = useAction()
  const form = useRef<HTMLFormElement>(null)
  const current = useRef<HTMLInputElement>(null)
  const next = useRef<HTMLInputElement>(null)
  const again = useRef<HTMLInputElement>(null)
  const [note, setNote] = useState<'differ' | 'changed' | null>(null)

  async function submitted(event: FormEvent): Promise<void> {
    event.preventDefault()
    const pin = next.current?.value ?? ''
    setNote(null)
    action.clear()
    if (pin !== again.current?.value) return setNote('differ')
    if (!(await action.run(() => link.call('pin.change', { current: current.current?.value ?? '', next: pin })))) return
    form.current?.reset()
    setNote('changed')
  }

  return (
    <form ref={form} className={css.form} onSubmit={(event) => void submitted(event)}>
      <div>
        <label htmlFor={`${id}-current`}>PIN so far</label>
        <input ref={current} id={`${id}-current`} type="password" required maxLength={64} autoComplete="current-password" />
      </div>
      <div>
        <label htmlFor={`${id}-next`}>New PIN</label>
        <input ref={next} id={`${id}-next`} type="password" required minLength={4} maxLength={64} autoComplete="new-password" />
      </div>
      <div>
        <label htmlFor={`${id}-again`}>New PIN again</label>
        <input ref={again} id={`${id}-again`} type="password" required minLength={4} maxLength={64} autoComplete="new-password" />
      </div>
      <button type="submit" disabled={action.busy}>
        Change PIN
      </button>
      <p role="status">{note === 'changed' && 'The PIN is changed. Other pages are logged out.'}</p>
      {(note === 'differ' || action.error !== null) && (
        <p role="alert" className="fault">
          {note === 'differ' ? 'The two entries differ. Type the same PIN twice.' : action.error}
        </p>
      )}
    </form>
  )
}
