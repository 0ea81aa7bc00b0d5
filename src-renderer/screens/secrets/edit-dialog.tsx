import { useId, useRef, useState, type FormEvent } from 'react'
import { nameFault, newNameFault, valueFault } from '../../../src-shared/names.ts'
import type { SecretInfo } from '../../../src-shared/secret.ts'
import { HostError } from '../../link/host-link.ts'
import { useLink } from '../../link/use-host.ts'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { useAction } from '../../ui/use-action.ts'
import fields from '../../ui/form.module.css'
import css from './edit-dialog.module.css'
import { dayOf, endOfDay, tagsFault, tagsOf } from './fields.ts'
import { Generator } from './generator.tsx'
import { ValueField } from './value-field.tsx'

interface Props {
  /** Null: a new one. */
  secret: SecretInfo | null
  onClose: () => void
  onStored: (name: string) => void
}

/** A new secret, or another value, tags and expiry for one that is there. */
export function EditDialog({ secret, onClose, onStored }: Props) {
  const id = useId()
  const link = useLink()
  const action = useAction()
  const name = useRef<HTMLInputElement>(null)
  const value = useRef<HTMLTextAreaElement>(null)
  const tags = useRef<HTMLInputElement>(null)
  const expires = useRef<HTMLInputElement>(null)
  const [fault, setFault] = useState<string | null>(null)

  async function submitted(event: FormEvent): Promise<void> {
    event.preventDefault()
    const wanted = {
      name: secret?.name ?? name.current?.value.trim() ?? '',
      value: value.current?.value ?? '',
      tags: tagsOf(tags.current?.value ?? ''),
      expires: endOfDay(expires.current?.value ?? ''),
    }
    const found = faultOf(wanted, secret !== null)
    setFault(found)
    if (found !== null) return
    if (await action.run(() => store(wanted))) {
      onClose()
      onStored(wanted.name)
    }
  }

  async function store({ value: text, ...info }: { name: string; value: string; tags: string[]; expires: number | null }): Promise<void> {
    if (text === '') await link.call('secrets.describe', info)
    else if (secret !== null) await link.call('secrets.store', { ...info, value: text, force: true })
    else await link.call('secrets.store', { ...info, value: text }).catch(explainExisting)
  }

  return (
    <Dialog title={secret === null ? 'Add secret' : `Edit ${secret.name}`} onClose={onClose}>
      <form className={`${fields.form} ${css.form}`} onSubmit={(event) => void submitted(event)} autoComplete="off">
        {secret === null && (
          <div>
            <label htmlFor={`${id}-name`}>Name</label>
            <input
              ref={name}
              id={`${id}-name`}
              required
              maxLength={128}
              placeholder="github/token"
              autoCapitalize="none"
              spellCheck={false}
              className={css.name}
              aria-describedby={`${id}-name-help`}
            />
            <p id={`${id}-name-help`} className="soft">
              Policies speak of names: a / lets them speak of a group, such as <code>prod/*</code>.
            </p>
          </div>
        )}
        <ValueField
          field={value}
          label={secret === null ? 'Value' : 'New value'}
          placeholder={secret === null ? undefined : 'Leave empty to keep the current value'}
          required={secret === null}
        />
        <Generator
          use={(text) => {
            if (value.current !== null) value.current.value = text
          }}
        />
        <div className={css.pair}>
          <div>
            <label htmlFor={`${id}-tags`}>Tags</label>
            <input ref={tags} id={`${id}-tags`} defaultValue={secret?.tags.join(', ')} placeholder="work, database" spellCheck={false} />
          </div>
          <div>
            <label htmlFor={`${id}-expires`}>Expires after</label>
            <input ref={expires} id={`${id}-expires`} type="date" defaultValue={dayOf(secret?.expires ?? null)} />
          </div>
        </div>
        {(fault ?? action.error) !== null && (
          <p role="alert" className="fault">
            {fault ?? action.error}
          </p>
        )}
        <DialogButtons onCancel={onClose}>
          <button type="submit" className="primary" disabled={action.busy}>
            {action.busy ? 'Storing…' : secret === null ? 'Store' : 'Save'}
          </button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}

function faultOf({ name, value, tags }: { name: string; value: string; tags: string[] }, isThere: boolean): string | null {
  const wrongName = isThere ? nameFault(name) : newNameFault(name)
  if (wrongName !== null) return `The name ${wrongName}.`
  const wrongValue = value === '' && isThere ? null : valueFault(value)
  return wrongValue === null ? tagsFault(tags) : `The value ${wrongValue}.`
}

function explainExisting(error: unknown): never {
  if (error instanceof HostError && error.code === 'exists') {
    throw new HostError('exists', 'There is a secret of this name. Choose another name, or open that secret and edit it.')
  }
  throw error
}
