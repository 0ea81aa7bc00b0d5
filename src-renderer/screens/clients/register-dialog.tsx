import { useId, useState, type FormEvent } from 'react'
import { MOST_TOKEN_DAYS } from '../../../src-shared/client.ts'
import { DEFAULT_POLICY } from '../../../src-shared/policy.ts'
import type { ClientInfo } from '../../../src-shared/rpc.ts'
import { useLink } from '../../link/use-host.ts'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { useAction } from '../../ui/use-action.ts'
import { idFault, idFor } from './client-id.ts'
import fields from '../../ui/form.module.css'
import css from './register-dialog.module.css'

/** A registration, and the token it was given if it comes over HTTP. The token can be seen this once. */
export interface Made {
  client: ClientInfo
  token: string | null
}

interface Props {
  policies: readonly string[]
  taken: readonly string[]
  onClose: (made: Made | null) => void
}

/** A client that we have no config file for: it gets a registration, and the person the line to put there. */
export function RegisterDialog({ policies, taken, onClose }: Props) {
  const id = useId()
  const link = useLink()
  const action = useAction()
  const [name, setName] = useState('')
  const [overHttp, setOverHttp] = useState(false)
  const [days, setDays] = useState('')
  const [ownId, setOwnId] = useState<string | null>(null)
  const [chosen, setChosen] = useState<string | null>(null)
  // Derived, because the policies may not be known yet when the dialog opens.
  const policy = chosen ?? (policies.includes(DEFAULT_POLICY.name) ? DEFAULT_POLICY.name : (policies[0] ?? ''))
  const clientId = ownId ?? idFor(name, taken)
  const fault = clientId === '' ? null : idFault(clientId, taken)

  async function submitted(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (idFault(clientId, taken) !== null || policy === '') return
    const asked = { id: clientId, name: name.trim(), policy }
    await action.run(async () => {
      if (overHttp) onClose(await link.call('tokens.add', { ...asked, days: days === '' ? null : Number(days) }))
      else onClose({ client: await link.call('clients.register', asked), token: null })
    })
  }

  return (
    <Dialog title="Register a client by hand" onClose={() => onClose(null)}>
      <form className={`${fields.form} ${css.form}`} onSubmit={(event) => void submitted(event)}>
        <p className="soft">
          You get what to put into the client&apos;s own config file. A key stays in Countersign&apos;s folder; a token is shown once.
        </p>
        <div>
          <label htmlFor={`${id}-name`}>Name, as you want to read it in requests</label>
          <input
            id={`${id}-name`}
            value={name}
            required
            maxLength={100}
            placeholder="Cursor"
            onChange={(event) => setName(event.target.value)}
          />
        </div>
        <div>
          <label htmlFor={`${id}-id`}>Id, for the config file</label>
          <input
            id={`${id}-id`}
            className={css.id}
            value={clientId}
            required
            maxLength={64}
            spellCheck={false}
            autoCapitalize="none"
            placeholder="cursor"
            aria-describedby={`${id}-fault`}
            onChange={(event) => setOwnId(event.target.value)}
          />
          <p id={`${id}-fault`} className="fault">
            {fault}
          </p>
        </div>
        <div>
          <label htmlFor={`${id}-policy`}>Policy</label>
          <select id={`${id}-policy`} value={policy} onChange={(event) => setChosen(event.target.value)}>
            {policies.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </div>
        <label className={css.check}>
          <input type="checkbox" checked={overHttp} onChange={(event) => setOverHttp(event.target.checked)} /> It comes over HTTP, with a
          token
        </label>
        {overHttp && (
          <div>
            <label htmlFor={`${id}-days`}>Days until the token ends; empty for no end</label>
            <input
              id={`${id}-days`}
              type="number"
              inputMode="numeric"
              min={1}
              max={MOST_TOKEN_DAYS}
              step={1}
              value={days}
              onChange={(event) => setDays(event.target.value)}
            />
          </div>
        )}
        {action.error !== null && (
          <p role="alert" className="fault">
            {action.error}
          </p>
        )}
        <DialogButtons onCancel={() => onClose(null)}>
          <button type="submit" className="primary" disabled={action.busy || fault !== null || policy === ''}>
            Register
          </button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}
