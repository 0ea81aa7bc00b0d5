import { useId, useRef, useState, type FormEvent } from 'react'
import { useHostData, useLink } from '../../link/use-host.ts'
import { useAction } from '../../ui/use-action.ts'
import css from './change-pin.module.css'
import { ChangePin } from './change-pin.tsx'

const NEVER = [] as const

/** In the desktop's window: the page of a host without a desktop takes its first PIN from here. */
export function PagePin() {
  const known = useHostData('pin.state', {}, NEVER).data?.set ?? null
  const [chosen, setChosen] = useState(false)
  if (known === null) return null
  return known || chosen ? <ChangePin /> : <FirstPin onChosen={() => setChosen(true)} />
}

/** The PIN stays in its fields alone. */
function FirstPin({ onChosen }: { onChosen: () => void }) {
  const id = useId()
  const link = useLink()
  const action = useAction()
  const pin = useRef<HTMLInputElement>(null)
  const again = useRef<HTMLInputElement>(null)
  const [differ, setDiffer] = useState(false)

  async function submitted(event: FormEvent): Promise<void> {
    event.preventDefault()
    const chosen = pin.current?.value ?? ''
    action.clear()
    setDiffer(chosen !== again.current?.value)
    if (chosen !== again.current?.value) return
    if (await action.run(() => link.call('pin.set', { pin: chosen }))) onChosen()
  }

  return (
    <form className={css.form} onSubmit={(event) => void submitted(event)}>
      <p className="soft">
        Without a desktop, Countersign is a web page. It lets nobody in on this data folder before you choose a PIN here.
      </p>
      <div>
        <label htmlFor={`${id}-pin`}>PIN</label>
        <input ref={pin} id={`${id}-pin`} type="password" required minLength={4} maxLength={64} autoComplete="new-password" />
      </div>
      <div>
        <label htmlFor={`${id}-again`}>PIN again</label>
        <input ref={again} id={`${id}-again`} type="password" required minLength={4} maxLength={64} autoComplete="new-password" />
      </div>
      <button type="submit" disabled={action.busy}>
        Set PIN
      </button>
      {(differ || action.error !== null) && (
        <p role="alert" className="fault">
          {differ ? 'The two entries differ. Type the same PIN twice.' : action.error}
        </p>
      )}
    </form>
  )
}
