import { useId, type RefObject } from 'react'
import css from './keys-dialog.module.css'
import { SCREEN_NAMES } from './route.ts'
import { SCREENS, type Screen } from './screens.tsx'

type Rows = NonNullable<Screen['keys']>

/** What the keys do, here and everywhere. */
export function KeysDialog({ ref, screen }: { ref: RefObject<HTMLDialogElement | null>; screen: Screen | undefined }) {
  const id = useId()
  const everywhere: Rows = [
    ...SCREEN_NAMES.flatMap((name) => {
      const entry = SCREENS[name]
      return entry === undefined ? [] : [[`g ${entry.key}`, entry.label] as const]
    }),
    ['Ctrl 1 … 5', 'The same, by number'],
    ['Esc', 'Deny the first open request'],
    ['Ctrl ↩', 'Allow the first open request'],
    ['?', 'This list'],
  ]
  return (
    <dialog ref={ref} className={css.dialog} aria-labelledby={id} closedby="any">
      <h2 id={id}>Keys</h2>
      <div className={css.columns}>
        {screen?.keys !== undefined && <KeyList title={screen.label} rows={screen.keys} />}
        <KeyList title="Everywhere" rows={everywhere} />
      </div>
      <form method="dialog">
        <button type="submit" className="primary">
          Close
        </button>
      </form>
    </dialog>
  )
}

function KeyList({ title, rows }: { title: string; rows: Rows }) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <dl>
        {rows.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
