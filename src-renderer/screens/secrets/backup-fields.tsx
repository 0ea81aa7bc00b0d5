// The parts that backing up and restoring have in common.

import { useId, useRef } from 'react'
import { useHostData, useLink } from '../../link/use-host.ts'
import { useAction, type Action } from '../../ui/use-action.ts'
import css from './backup-dialogs.module.css'

const NEVER = [] as const
const SUGGESTED = 'countersign.backup'

/** What was typed stays in the fields alone, not in the state of the page. */
export function read(form: HTMLFormElement): { path: string; passphrase: string; again: string; withKeys: boolean } {
  const data = new FormData(form)
  const text = (name: string) => {
    const value = data.get(name)
    return typeof value === 'string' ? value : ''
  }
  return { path: text('path').trim(), passphrase: text('passphrase'), again: text('again'), withKeys: data.has('with-keys') }
}

/** A file on the computer that Countersign runs on, chosen where the desktop has a dialog for it. */
export function FileField({ mode, onChosen = () => {} }: { mode: 'open' | 'save'; onChosen?: () => void }) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const link = useLink()
  const action = useAction()
  const shell = useHostData('shell.state', {}, NEVER).data

  async function choose(): Promise<void> {
    await action.run(async () => {
      const { path } = await link.call('shell.chooseFile', { mode, suggested: SUGGESTED })
      if (path === null || field.current === null) return
      field.current.value = path
      onChosen()
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

export function PassphraseFields({ twice }: { twice: boolean }) {
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

export function Outcome({ action, fault, done }: { action: Action; fault: string | null; done: string | null }) {
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

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}
