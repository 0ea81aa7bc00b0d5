import { useId, useRef, useState } from 'react'
import { sentence } from '../link/host-link.ts'
import { useLink } from '../link/use-host.ts'
import { PauseIcon } from '../ui/icons.tsx'
import css from './navigation.module.css'

const CHOICES = [
  { label: 'For 15 minutes', minutes: 15 },
  { label: 'For an hour', minutes: 60 },
  { label: 'Until I resume', minutes: null },
]

/** While all access is paused, the notice at the top says so and offers the way back. */
export function PauseMenu({ paused }: { paused: boolean }) {
  const link = useLink()
  const id = useId()
  const menu = useRef<HTMLDivElement>(null)
  const [error, setError] = useState<string | null>(null)

  async function pause(minutes: number | null): Promise<void> {
    setError(null)
    try {
      await link.call('host.pause', { minutes })
      menu.current?.hidePopover()
    } catch (failure) {
      setError(sentence(failure))
    }
  }

  return (
    <>
      <button type="button" className={css.item} title="Pause all access" disabled={paused} popoverTarget={id}>
        <PauseIcon />
        <span className={css.label}>{paused ? 'Paused' : 'Pause…'}</span>
      </button>
      <div ref={menu} id={id} popover="auto" className={css.pause} role="group" aria-label="Pause all access">
        <p>Pause all access: every call is refused.</p>
        {CHOICES.map(({ label, minutes }) => (
          <button key={label} type="button" onClick={() => void pause(minutes)}>
            {label}
          </button>
        ))}
        {error !== null && <p role="alert">{error}</p>}
      </div>
    </>
  )
}
