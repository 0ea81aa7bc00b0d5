import { useState, type FormEvent } from 'react'
import { useLink } from '../../link/use-host.ts'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { useAction } from '../../ui/use-action.ts'
import fields from '../../ui/form.module.css'
import { count, FileField, Outcome, PassphraseFields, read } from './backup-fields.tsx'
import css from './backup-dialogs.module.css'

/** Everything but the log, as one sealed file. */
export function BackupDialog({ onClose }: { onClose: () => void }) {
  const link = useLink()
  const action = useAction()
  const [fault, setFault] = useState<string | null>(null)
  const [done, setDone] = useState<string | null>(null)

  async function submitted(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const { path, passphrase, again } = read(event.currentTarget)
    const differ = passphrase !== again
    setFault(differ ? 'The two passphrases differ. Type the same one twice.' : null)
    if (differ) return
    await action.run(async () => {
      const { secrets, skipped } = await link.call('backup.export', { path, passphrase })
      const left = skipped.length === 0 ? '' : ` Left out, because their value is missing or was changed outside: ${skipped.join(', ')}.`
      setDone(`${count(secrets, 'secret')} backed up.${left}`)
    })
  }

  return (
    <Dialog title="Back up everything" onClose={onClose}>
      <form className={`${fields.form} ${css.form}`} onSubmit={(event) => void submitted(event)}>
        <p className="soft">
          Secrets with their versions, policies, clients and settings go into one file that only the passphrase opens. The audit log stays
          here.
        </p>
        <FileField mode="save" />
        <PassphraseFields twice />
        <Outcome action={action} fault={fault} done={done} />
        <DialogButtons onCancel={onClose} cancel={done === null ? 'Cancel' : 'Close'}>
          <button type="submit" className="primary" disabled={action.busy}>
            {action.busy ? 'Backing up…' : 'Back up'}
          </button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}
