import { useState } from 'react'
import { keychainHelp } from '../../src-shared/keychain-help.ts'
import type { HostStatus } from '../../src-shared/rpc.ts'
import { sentence } from '../link/host-link.ts'
import { useLink } from '../link/use-host.ts'
import { SecretForm } from '../login/secret-form.tsx'
import { system } from '../ui/system.ts'
import { Untrusted } from '../ui/untrusted.tsx'
import { useAction } from '../ui/use-action.ts'
import css from './vault-state.module.css'

/** Instead of the desk while nothing can be served: why, and the one thing that helps. */
export function VaultState({ status }: { status: HostStatus }) {
  const link = useLink()
  const [error, setError] = useState<{ message: string; waitMs: number } | null>(null)

  // While nothing is served, this is the one alarm there can be.
  const isOlder = status.state === 'damaged' && status.alarms.length > 0

  async function act(work: Promise<unknown>): Promise<void> {
    setError(null)
    await work.catch((failure: unknown) => setError({ message: sentence(failure), waitMs: 0 }))
  }

  return (
    <main className={css.room}>
      <section className={css.panel} aria-labelledby="vault-title">
        <h2 id="vault-title">{isOlder ? 'The vault database is not the newest' : TITLES[status.state]}</h2>
        {!isOlder && status.trouble !== null && <p>{status.trouble}</p>}
        {isOlder &&
          status.alarms.map(({ id, text }) => (
            <p key={id}>
              <Untrusted text={text} max={4000} />
            </p>
          ))}
        {status.state === 'new' && (
          <>
            <p>Nobody can open it without: keep the passphrase safe.</p>
            <SecretForm
              label="Passphrase"
              submit="Make the vault"
              choosing
              shortest={SHORTEST_PASSPHRASE}
              error={error}
              enter={(passphrase) => act(link.call('vault.create', { passphrase }))}
            />
          </>
        )}
        {status.state === 'locked' && status.store === 'sealed' && (
          <SecretForm
            label="Passphrase"
            submit="Open"
            choosing={false}
            error={error}
            enter={(passphrase) => act(link.call('vault.unlock', { passphrase }))}
          />
        )}
        {status.state === 'locked' && status.store === 'keychain' && <Unlock trouble={status.trouble ?? ''} />}
        {status.state === 'damaged' && (
          <Recover isOlder={isOlder} error={error?.message ?? null} recover={(how) => act(link.call('vault.recover', { how }))} />
        )}
      </section>
    </main>
  )
}

const SHORTEST_PASSPHRASE = 8

const TITLES: Record<HostStatus['state'], string> = {
  open: 'The vault is open',
  locked: 'The vault is locked',
  new: 'There is no vault yet',
  damaged: 'The vault database is damaged',
}

type Decision = 'daily copy' | 'start anew' | 'as it is'

/** The keychain opens in a place that is not ours; we can only look again. */
function Unlock({ trouble }: { trouble: string }) {
  const link = useLink()
  const action = useAction()
  return (
    <>
      <p className={css.step}>{keychainHelp(system, trouble)}</p>
      <button type="button" className="primary" disabled={action.busy} onClick={() => void action.run(() => link.call('vault.unlock', {}))}>
        {action.busy ? 'Looking…' : 'Try again'}
      </button>
      <p role="status">{action.error === null ? '' : 'Still closed. '}Countersign also looks by itself every few seconds.</p>
    </>
  )
}

function Recover({ isOlder, error, recover }: { isOlder: boolean; error: string | null; recover: (how: Decision) => Promise<void> }) {
  const [sure, setSure] = useState(false)
  return (
    <>
      {isOlder && (
        <>
          <p className={css.step}>
            Nothing was changed. If you have the newer file, quit Countersign, put it back and start again. Whatever you choose here, this
            one is kept beside it.
          </p>
          <button type="button" onClick={() => void recover('as it is')}>
            Go on with this one
          </button>
        </>
      )}
      <button type="button" className="primary" onClick={() => void recover('daily copy')}>
        Go back to the daily copy
      </button>
      <label className={css.sure}>
        <input type="checkbox" checked={sure} onChange={(event) => setSure(event.target.checked)} />
        I have no use for what it held: policies, clients and the list of secrets
      </label>
      <button type="button" disabled={!sure} onClick={() => void recover('start anew')}>
        Start anew
      </button>
      {error !== null && (
        <p role="alert" className={css.error}>
          {error}
        </p>
      )}
    </>
  )
}
