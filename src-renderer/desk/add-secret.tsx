import { useId, useRef, useState, type FormEvent, type RefObject } from 'react'
import { nameFault, valueFault } from '../../src-shared/names.ts'
import { HostError, sentence } from '../link/host-link.ts'
import { useLink } from '../link/use-host.ts'
import css from './add-secret.module.css'

type Outcome = { ok: boolean; text: string } | null

/** The value stays in its field alone: not in the state of the page, and gone from the field once it is stored. */
export function AddSecret({ nameField }: { nameField: RefObject<HTMLInputElement | null> }) {
  const link = useLink()
  const id = useId()
  const form = useRef<HTMLFormElement>(null)
  const valueField = useRef<HTMLTextAreaElement>(null)
  const [shown, setShown] = useState(false)
  const [force, setForce] = useState(false)
  const [busy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<Outcome>(null)

  async function submitted(event: FormEvent): Promise<void> {
    event.preventDefault()
    const name = nameField.current?.value.trim() ?? ''
    const value = valueField.current?.value ?? ''
    const fault = faultIn('name', nameFault(name)) ?? faultIn('value', valueFault(value))
    if (fault !== null) return setOutcome({ ok: false, text: fault })
    setBusy(true)
    setOutcome(await store(name, value))
    setBusy(false)
  }

  async function store(name: string, value: string): Promise<Outcome> {
    try {
      const { version } = await link.call('secrets.store', { name, value, force })
      form.current?.reset()
      setForce(false)
      setShown(false)
      return { ok: true, text: `Stored ${name}, version ${version}.` }
    } catch (error) {
      const exists = error instanceof HostError && error.code === 'exists'
      return { ok: false, text: exists ? `${name} exists already. Tick the box to replace it.` : sentence(error) }
    }
  }

  return (
    <section className={css.panel} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>Add a secret</h2>
      <form ref={form} onSubmit={(event) => void submitted(event)} autoComplete="off">
        <label htmlFor={`${id}-name`}>Name</label>
        <input
          ref={nameField}
          id={`${id}-name`}
          required
          maxLength={128}
          placeholder="github/token"
          autoCapitalize="none"
          spellCheck={false}
        />
        <div className={css.above}>
          <label htmlFor={`${id}-value`}>Value</label>
          <button type="button" className="plain" aria-pressed={shown} onClick={() => setShown(!shown)}>
            {shown ? 'Hide' : 'Show'}
          </button>
        </div>
        <textarea
          ref={valueField}
          id={`${id}-value`}
          required
          rows={3}
          className={shown ? css.value : css.masked}
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
        />
        <label className={css.force}>
          <input type="checkbox" checked={force} onChange={(event) => setForce(event.target.checked)} />
          Replace it if it exists
        </label>
        <button type="submit" className="primary" disabled={busy}>
          {busy ? 'Storing…' : 'Store'}
        </button>
        <p role="status" className={outcome?.ok === false ? css.bad : css.good}>
          {outcome?.text}
        </p>
      </form>
    </section>
  )
}

function faultIn(field: string, fault: string | null): string | null {
  return fault === null ? null : `The ${field} ${fault}.`
}
