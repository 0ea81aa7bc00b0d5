import { useState } from 'react'
import { showLines } from '../../src-shared/untrusted.ts'
import { sentence } from '../link/host-link.ts'
import { useLink } from '../link/use-host.ts'
import css from './facts.module.css'

/** The mask has one length, whatever the value's is. The value is fetched only when the person asks, which is recorded. */
export function MaskedValue({ approvalId }: { approvalId: string }) {
  const link = useLink()
  const [value, setValue] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)

  async function toggle(): Promise<void> {
    setError(null)
    if (value !== null) return setValue(null)
    try {
      setValue((await link.call('approvals.reveal', { id: approvalId })).value)
    } catch (failure) {
      setError(sentence(failure))
    }
  }

  return (
    <dl className={css.facts}>
      <dt>Value</dt>
      <dd>
        {value === null ? <span aria-label="hidden">••••••••••••</span> : <pre tabIndex={0}>{showLines(value)}</pre>}
        <button type="button" className={css.link} aria-pressed={value !== null} onClick={() => void toggle()}>
          {value === null ? 'show' : 'hide'}
        </button>
        {error !== null && <span role="alert">{error}</span>}
      </dd>
    </dl>
  )
}
