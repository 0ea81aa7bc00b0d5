import { useId, useRef } from 'react'
import css from './more-menu.module.css'
import type { SecretsDialog } from './secrets-screen.tsx'

const CHOICES: { label: string; opens: SecretsDialog }[] = [
  { label: 'Which secret is this string?', opens: 'identify' },
  { label: 'Back up everything…', opens: 'back up' },
  { label: 'Restore a backup…', opens: 'restore' },
]

export function MoreMenu({ choose }: { choose: (dialog: SecretsDialog) => void }) {
  const id = useId()
  const menu = useRef<HTMLDivElement>(null)
  return (
    <span className={css.anchor}>
      <button type="button" popoverTarget={id} aria-haspopup="true">
        More <span aria-hidden="true">▾</span>
      </button>
      <div ref={menu} id={id} popover="auto" className={css.menu} role="group" aria-label="More">
        {CHOICES.map(({ label, opens }) => (
          <button
            key={opens}
            type="button"
            onClick={() => {
              menu.current?.hidePopover()
              choose(opens)
            }}
          >
            {label}
          </button>
        ))}
      </div>
    </span>
  )
}
