import { useState } from 'react'
import { CLI_CLIENT_ID, UNREGISTERED } from '../../../src-shared/client.ts'
import type { Grant } from '../../../src-shared/grant.ts'
import { navigate, useRoute } from '../../frame/route.ts'
import { useHostData, useLink } from '../../link/use-host.ts'
import { useKeys } from '../../ui/keys.ts'
import { Empty, ScreenHead, Trouble } from '../../ui/screen.tsx'
import { useNow } from '../../ui/time.ts'
import { useAction } from '../../ui/use-action.ts'
import { ClientCard } from './client-card.tsx'
import css from './clients-screen.module.css'
import { ConnectDialog } from './connect-dialog.tsx'
import { FoundClients } from './found-clients.tsx'
import { isOver } from './grant-words.ts'
import { RegisterDialog, type Made } from './register-dialog.tsx'
import { TokenDialog } from './token-dialog.tsx'
import { UnregisteredCard } from './unregistered-card.tsx'

const CHANGES = ['changed', 'approvals'] as const
const NONE: never[] = []

export function ClientsScreen() {
  const link = useLink()
  const { params } = useRoute()
  const { data: clients, error } = useHostData('clients.list', {}, CHANGES)
  const grants = useHostData('grants.list', {}, CHANGES).data ?? NONE
  const policies = useHostData('policies.list', {}, CHANGES).data?.policies ?? NONE
  const [registering, setRegistering] = useState(params.get('do') === 'register')
  const [connecting, setConnecting] = useState<Made | null>(null)
  const locking = useAction()
  const now = useNow(1000)
  const live = grants.filter((grant) => !isOver(grant, now))
  const names = policies.map(({ name }) => name)
  const of = (id: string) => live.filter((grant) => grant.clientId === id)
  const everybody = clients?.map(({ name }) => name) ?? []
  const known = new Set(clients?.map(({ id }) => id))
  const registered = clients?.filter(({ id }) => id !== CLI_CLIENT_ID) ?? []
  const commandLine = clients?.find(({ id }) => id === CLI_CLIENT_ID)

  useKeys({ n: () => setRegistering(true) })

  function closeRegister(made: Made | null): void {
    setRegistering(false)
    setConnecting(made)
    if (params.has('do')) navigate('clients', {}, { replace: true })
  }

  return (
    <div className={css.screen}>
      <ScreenHead title="Clients">
        {live.some(isTemporary) && (
          <button
            type="button"
            title="Ends every grant that is not for always, as locking the screen does"
            disabled={locking.busy}
            onClick={() => void locking.run(() => link.call('host.lock', {}))}
          >
            End temporary grants
          </button>
        )}
        <button type="button" className={registered.length > 0 ? 'primary' : undefined} onClick={() => setRegistering(true)}>
          Register by hand
        </button>
      </ScreenHead>
      <Trouble error={error ?? locking.error} />
      <FoundClients policies={names} />
      {clients !== null && registered.length === 0 && (
        <Empty
          title="No AI client yet"
          action={
            <button type="button" className="primary" onClick={() => setRegistering(true)}>
              Register by hand
            </button>
          }
        >
          Each client will have a card here: its policy, its program, when it was last seen and what it may read without asking.
        </Empty>
      )}
      <ul className={css.cards}>
        {[...registered, ...(commandLine === undefined ? [] : [commandLine])].map((client) => (
          <li key={client.id}>
            <ClientCard
              client={client}
              others={everybody}
              grants={of(client.id)}
              policies={names}
              now={now}
              connect={() => setConnecting({ client, token: null })}
            />
          </li>
        ))}
        {clients !== null && (
          <li>
            <UnregisteredCard grants={live.filter(({ clientId }) => clientId === UNREGISTERED || !known.has(clientId))} now={now} />
          </li>
        )}
      </ul>
      {registering && <RegisterDialog policies={names} taken={[...known]} onClose={closeRegister} />}
      {connecting !== null &&
        (connecting.token === null ? (
          <ConnectDialog client={connecting.client} onClose={() => setConnecting(null)} />
        ) : (
          <TokenDialog client={connecting.client} token={connecting.token} onClose={() => setConnecting(null)} />
        ))}
    </div>
  )
}

function isTemporary({ end }: Grant): boolean {
  return end.kind !== 'always'
}
