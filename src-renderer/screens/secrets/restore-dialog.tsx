import { useState, type FormEvent } from 'react'
import type { ImportPlan } from '../../../src-shared/backup.ts'
import { useLink } from '../../link/use-host.ts'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { ImportFacts } from '../../ui/import-facts.tsx'
import { useAction } from '../../ui/use-action.ts'
import fields from '../../ui/form.module.css'
import { count, FileField, Outcome, PassphraseFields, read } from './backup-fields.tsx'
import css from './backup-dialogs.module.css'

/** First what the backup would change, then, once it was seen, the change. */
export function RestoreDialog({ onClose }: { onClose: () => void }) {
  const link = useLink()
  const action = useAction()
  const [shown, setShown] = useState<{ id: string; plan: ImportPlan } | null>(null)
  const [done, setDone] = useState<string | null>(null)

  async function submitted(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const { path, passphrase, withKeys } = read(event.currentTarget)
    setDone(null)
    await action.run(async () => {
      if (shown === null) return setShown(await link.call('backup.preview', { path, passphrase, withKeys }))
      // Whatever comes of it, what was shown is no longer what would be done.
      setShown(null)
      const { secrets, policies, kept, clients } = await link.call('backup.import', { path, passphrase, agreed: shown.id })
      const same = kept.length === 0 ? '' : ` Policies that differ here were kept as they are: ${kept.join(', ')}.`
      const keyless = clients.length > 0 && !shown.plan.withKeys
      const keys = keyless ? ` These clients came along and need a new key before they can connect: ${clients.join(', ')}.` : ''
      setDone(`${count(secrets, 'secret')} and ${count(policies, 'policy', 'policies')} restored.${same}${keys}`)
    })
  }

  const submit = shown === null ? (action.busy ? 'Reading…' : 'Show what it would change') : action.busy ? 'Restoring…' : 'Restore'
  return (
    <Dialog title="Restore a backup" onClose={onClose}>
      <form
        className={`${fields.form} ${css.form}`}
        onSubmit={(event) => void submitted(event)}
        // Another file, or another choice, has to be shown anew.
        onChange={() => setShown(null)}
      >
        <p className="soft">
          What is in the backup is added to what is here: a value that differs becomes a new version, and nothing becomes wider than it is,
          no policy, no limit, no setting. You see all of it before anything happens.
        </p>
        <FileField mode="open" onChosen={() => setShown(null)} />
        <PassphraseFields twice={false} />
        <label>
          <input type="checkbox" name="with-keys" /> Give the clients of the backup keys, so that they can connect at once
        </label>
        {shown !== null && <ImportFacts plan={shown.plan} />}
        <Outcome action={action} fault={null} done={done} />
        <DialogButtons onCancel={onClose} cancel={done === null ? 'Cancel' : 'Close'}>
          <button type="submit" className="primary" disabled={action.busy}>
            {submit}
          </button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}
