import { useRef } from 'react'
import { useHostData } from '../link/use-host.ts'
import { Waiting } from '../prompt/waiting.tsx'
import { Mark } from '../ui/mark.tsx'
import { AddSecret } from './add-secret.tsx'
import { Calls } from './calls.tsx'
import css from './desk.module.css'
import { Notices } from './notices.tsx'
import { VaultState } from './vault-state.tsx'

const STATUS_EVENTS = ['changed', 'approvals'] as const
const STORES = {
  keychain: { label: 'OS keychain', title: 'Secrets are items in the keychain of this computer.' },
  sealed: { label: 'Sealed vault', title: 'Secrets are in a file sealed with your passphrase.' },
}

export function Desk({ connected, leave }: { connected: boolean; leave: (() => void) | null }) {
  const { data: status } = useHostData('status', {}, STATUS_EVENTS)
  const name = useRef<HTMLInputElement>(null)
  const isOpen = status?.state === 'open'
  const store = status === null ? null : STORES[status.store]

  return (
    <>
      <header className={css.bar}>
        <h1>
          <Mark /> Countersign
        </h1>
        {store !== null && (
          <span className={css.store} title={store.title}>
            {store.label}
          </span>
        )}
        <span className={css.space} />
        {isOpen && (
          <button type="button" className={css.add} onClick={() => name.current?.focus()}>
            Add a secret
          </button>
        )}
        {leave !== null && (
          <button type="button" className="plain" onClick={leave}>
            Log out
          </button>
        )}
      </header>
      <Notices connected={connected} status={status} />
      {status !== null && !isOpen && <VaultState status={status} />}
      {isOpen && (
        <main className={css.main}>
          <div className={css.column}>
            <Waiting />
            <Calls />
          </div>
          <AddSecret nameField={name} />
        </main>
      )}
    </>
  )
}
