import { useRef, useState, type FormEvent } from 'react'
import type { Result } from '../../../src-shared/rpc.ts'
import { useLink } from '../../link/use-host.ts'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { useAction } from '../../ui/use-action.ts'
import css from './identify-dialog.module.css'
import { ValueField } from './value-field.tsx'

/** A string that turned up somewhere: which secret is it? */
export function IdentifyDialog({ onClose, choose }: { onClose: () => void; choose: (name: string) => void }) {
  const link = useLink()
  const action = useAction()
  const value = useRef<HTMLTextAreaElement>(null)
  const [found, setFound] = useState<Result<'secrets.identify'> | null>(null)

  async function submitted(event: FormEvent): Promise<void> {
    event.preventDefault()
    await action.run(async () => setFound(await link.call('secrets.identify', { value: value.current?.value ?? '' })))
  }

  return (
    <Dialog title="Which secret is this string?" onClose={onClose}>
      <form className={css.form} onSubmit={(event) => void submitted(event)}>
        <p className="soft">
          Paste a string you found in a log or a chat. It is compared with every secret, former versions included, and kept nowhere.
        </p>
        <ValueField field={value} label="String" required onInput={() => setFound(null)} />
        <div role="status">
          {found?.length === 0 && <p>No secret has or had this value.</p>}
          {found !== null && found.length > 0 && (
            <ul>
              {found.map(({ name, version }) => (
                <li key={`${name} ${version}`}>
                  <button
                    type="button"
                    onClick={() => {
                      onClose()
                      choose(name)
                    }}
                  >
                    <code>{name}</code>
                  </button>{' '}
                  version {version}
                </li>
              ))}
            </ul>
          )}
        </div>
        {action.error !== null && (
          <p role="alert" className="fault">
            {action.error}
          </p>
        )}
        <DialogButtons onCancel={onClose} cancel="Close">
          <button type="submit" className="primary" disabled={action.busy}>
            Look it up
          </button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}
