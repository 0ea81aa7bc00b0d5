import { useId, useRef, useState, type FormEvent } from 'react'
import { useHostData, useLink } from '../../link/use-host.ts'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { useAction, type Action } from '../../ui/use-action.ts'
import fields from '../../ui/form.module.css'
import css from './backup-dialogs.module.css'

const NEVER = [] as const
const SUGGESTED = 'countersign.backup'

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

export function RestoreDialog({ onClose }: { onClose: () => void }) {
  const link = useLink()
  const action = useAction()
  const [done, setDone] = useState<string | null>(null)

  async function submitted(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    const { path, passphrase } = read(event.currentTarget)
    await action.run(async () => {
      const { secrets, policies, kept, clients } = await link.call('backup.import', { path, passphrase })
      const same = kept.length === 0 ? '' : ` Policies that differ here were kept as they are: ${kept.join(', ')}.`
      const keys =
        clients.length === 0 ? '' : ` These clients came along and need a new key before they can connect: ${clients.join(', ')}.`
      setDone(`${count(secrets, 'secret')} and ${count(policies, 'policy', 'policies')} restored.${same}${keys}`)
    })
  }

  return (
    <Dialog title="Restore a backup" onClose={onClose}>
      <form className={`${fields.form} ${css.form}`} onSubmit={(event) => void submitted(event)}>
        <p className="soft">
          What is in the backup is added to what is here: a value that differs becomes a new version, and no policy that exists is changed.
        </p>
        <FileField mode="open" />
        <PassphraseFields twice={false} />
        <Outcome action={action} fault={null} done={done} />
        <DialogButtons onCancel={onClose} cancel={done === null ? 'Cancel' : 'Close'}>
          <button type="submit" className="primary" disabled={action.busy}>
            {action.busy ? 'Restoring…' : 'Restore'}
          </button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}

/** What was typed stays in the fields alone, not in the state of the page. */
function read(form: HTMLFormElement): { path: string; passphrase: string; again: string } {
  const data = new FormData(form)
  const text = (name: string) => {
    const value = data.get(name)
    return typeof value === 'string' ? value : ''
  }
  return { path: text('path').trim(), passphrase: text('passphrase'), again: text('again') }
}

/** A file on the computer that Countersign runs on, chosen where the desktop has a dialog for it. */
function FileField({ mode }: { mode: 'open' | 'save' }) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const link = useLink()
  const action = useAction()
  const shell = useHostData('shell.state', {}, NEVER).data

  async function choose(): Promise<void> {
    await action.run(async () => {
      const { path } = await link.call('shell.chooseFile', { mode, suggested: SUGGESTED })
      if (path !== null && field.current !== null) field.current.value = path
    })
  }

  return (
    <div>
      <label htmlFor={id}>File, with its full path</label>
      <div className={css.file}>
        <input ref={field} id={id} name="path" required maxLength={4096} placeholder={`/home/you/${SUGGESTED}`} spellCheck={false} />
        {shell?.fileDialogs === true && (
          <button type="button" onClick={() => void choose()}>
            Choose…
          </button>
        )}
      </div>
      {action.error !== null && <p className="fault">{action.error}</p>}
    </div>
  )
}

function PassphraseFields({ twice }: { twice: boolean }) {
  const id = useId()
  const autoComplete = twice ? 'new-password' : 'current-password'
  return (
    <>
      <div>
        <label htmlFor={`${id}-1`}>Passphrase of the backup</label>
        <input id={`${id}-1`} name="passphrase" type="password" required minLength={8} maxLength={1024} autoComplete={autoComplete} />
      </div>
      {twice && (
        <div>
          <label htmlFor={`${id}-2`}>The same again</label>
          <input id={`${id}-2`} name="again" type="password" required minLength={8} maxLength={1024} autoComplete={autoComplete} />
        </div>
      )}
    </>
  )
}

function Outcome({ action, fault, done }: { action: Action; fault: string | null; done: string | null }) {
  const wrong = fault ?? action.error
  return (
    <>
      <p role="status" className={css.done}>
        {wrong === null && done}
      </p>
      {wrong !== null && (
        <p role="alert" className="fault">
          {wrong}
        </p>
      )}
    </>
  )
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}
