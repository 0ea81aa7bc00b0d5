import { useEffect, useId, useRef, useState, type FormEvent } from 'react'
import css from './secret-form.module.css'

interface Props {
  label: string
  submit: string
  /** A new one is entered twice. */
  choosing: boolean
  /** What a new one must have. */
  shortest?: number
  /** The code from the terminal is wanted, too. */
  code?: boolean
  error: { message: string; waitMs: number } | null
  enter: (secret: string, code?: string) => Promise<void>
}

/** A PIN or passphrase. It is kept in the fields alone, never in the state of the page. */
export function SecretForm({ label, submit, choosing, shortest = 1, code = false, error, enter }: Props) {
  const id = useId()
  const form = useRef<HTMLFormElement>(null)
  const first = useRef<HTMLInputElement>(null)
  const second = useRef<HTMLInputElement>(null)
  const coded = useRef<HTMLInputElement>(null)
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState<string | null>(null)
  const waiting = useWaiting(error)
  const message = fault ?? error?.message ?? null

  useEffect(() => first.current?.focus(), [])

  async function submitted(event: FormEvent): Promise<void> {
    event.preventDefault()
    const secret = first.current?.value ?? ''
    const short = choosing && secret.length < shortest
    const differs = choosing && secret !== second.current?.value
    setFault(
      short ? `Choose one with at least ${shortest} characters.` : differs ? `The two entries differ. Type the same ${label} twice.` : null,
    )
    if (short || differs) return (short ? first : second).current?.select()
    setBusy(true)
    await (code ? enter(secret, coded.current?.value ?? '') : enter(secret))
    setBusy(false)
    form.current?.reset()
    first.current?.focus()
  }

  return (
    <form ref={form} className={css.form} onSubmit={(event) => void submitted(event)}>
      {code && (
        <>
          <label htmlFor={`${id}-code`}>Code from the terminal</label>
          <input ref={coded} id={`${id}-code`} required maxLength={32} autoComplete="off" spellCheck={false} />
        </>
      )}
      <label htmlFor={`${id}-1`}>{label}</label>
      <input
        ref={first}
        id={`${id}-1`}
        type="password"
        required
        maxLength={1024}
        autoComplete={choosing ? 'new-password' : 'current-password'}
        aria-describedby={message === null ? undefined : `${id}-error`}
        aria-invalid={message !== null}
      />
      {choosing && (
        <>
          <label htmlFor={`${id}-2`}>{label} again</label>
          <input ref={second} id={`${id}-2`} type="password" required maxLength={1024} autoComplete="new-password" />
        </>
      )}
      {message !== null && (
        <p id={`${id}-error`} role="alert" className={css.error}>
          {message}
        </p>
      )}
      <button type="submit" className="primary" disabled={busy || waiting}>
        {busy ? 'One moment…' : submit}
      </button>
    </form>
  )
}

/** True until the time to wait, told with an error, is over. */
function useWaiting(error: Props['error']): boolean {
  const [waited, setWaited] = useState<Props['error']>(null)
  useEffect(() => {
    if (error === null || error.waitMs === 0) return
    const timer = setTimeout(() => setWaited(error), error.waitMs)
    return () => clearTimeout(timer)
  }, [error])
  return error !== null && error.waitMs > 0 && waited !== error
}
