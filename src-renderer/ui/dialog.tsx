import { useEffect, useId, useLayoutEffect, useRef, type ReactNode } from 'react'
import css from './dialog.module.css'

interface Props {
  title: string
  /** Esc, Cancel, or whatever else means "never mind". */
  onClose: () => void
  wide?: boolean
  children: ReactNode
}

/** Modal as long as it is rendered. The focus goes back to where it was. */
export function Dialog({ title, onClose, wide = false, children }: Props) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  // In layout, so that it is closed, and the focus given back, before it is taken away.
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      className={wide ? css.wide : css.dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        // A file field inside has a cancel of its own.
        if (event.target === dialog.current) onClose()
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}

/** The foot of a dialog: the way out first, then what it is about. */
export function DialogButtons({ onCancel, cancel = 'Cancel', children }: { onCancel: () => void; cancel?: string; children?: ReactNode }) {
  return (
    <div className={css.buttons}>
      <button type="button" onClick={onCancel}>
        {cancel}
      </button>
      {children}
    </div>
  )
}

interface ConfirmProps {
  title: string
  /** What happens, as the word on the button. */
  verb: string
  busy: boolean
  error: string | null
  onConfirm: () => void
  onClose: () => void
  children: ReactNode
}

/** Asks before something that cannot be taken back. The way out has the focus. */
export function Confirm({ title, verb, busy, error, onConfirm, onClose, children }: ConfirmProps) {
  const out = useRef<HTMLButtonElement>(null)
  useEffect(() => out.current?.focus(), [])
  return (
    <Dialog title={title} onClose={onClose}>
      <div className={css.text}>{children}</div>
      {error !== null && (
        <p role="alert" className="fault">
          {error}
        </p>
      )}
      <div className={css.buttons}>
        <button ref={out} type="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="danger" disabled={busy} onClick={onConfirm}>
          {verb}
        </button>
      </div>
    </Dialog>
  )
}
