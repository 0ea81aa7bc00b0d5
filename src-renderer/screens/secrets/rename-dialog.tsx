import { useId, useState, type FormEvent } from 'react'
import { newNameFault } from '../../../src-shared/names.ts'
import { useLink } from '../../link/use-host.ts'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { useAction } from '../../ui/use-action.ts'
import fields from '../../ui/form.module.css'
import css from './edit-dialog.module.css'

interface Props {
  name: string
  onClose: () => void
  onRenamed: (name: string) => void
}

/** Another name for a secret; everything else about it stays. */
export function RenameDialog({ name, onClose, onRenamed }: Props) {
  const id = useId()
  const link = useLink()
  const action = useAction()
  const [to, setTo] = useState(name)
  const fault = to === name ? null : newNameFault(to)

  async function submitted(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (to === name || fault !== null) return
    if (await action.run(() => link.call('secrets.rename', { name, to }))) {
      onClose()
      onRenamed(to)
    }
  }

  return (
    <Dialog title={`Rename ${name}`} onClose={onClose}>
      <form className={`${fields.form} ${css.form}`} onSubmit={(event) => void submitted(event)} autoComplete="off">
        <p className="soft">
          Policies speak of names: which clients may see this secret follows its new name. Whoever asks for the old one is told that it is
          not found, and what you allowed for it to be read without asking ends.
        </p>
        <div>
          <label htmlFor={`${id}-name`}>New name</label>
          <input
            id={`${id}-name`}
            className={css.name}
            value={to}
            required
            maxLength={128}
            autoCapitalize="none"
            spellCheck={false}
            aria-describedby={`${id}-fault`}
            aria-invalid={fault !== null}
            onChange={(event) => setTo(event.target.value)}
          />
          <p id={`${id}-fault`} className="fault">
            {fault !== null && `The name ${fault}.`}
          </p>
        </div>
        {action.error !== null && (
          <p role="alert" className="fault">
            {action.error}
          </p>
        )}
        <DialogButtons onCancel={onClose}>
          <button type="submit" className="primary" disabled={action.busy || to === name || fault !== null}>
            {action.busy ? 'Renaming…' : 'Rename'}
          </button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}
