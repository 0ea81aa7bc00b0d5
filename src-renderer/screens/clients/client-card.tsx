import { useId, useState } from 'react'
import { CLI_CLIENT_ID } from '../../../src-shared/client.ts'
import type { Grant } from '../../../src-shared/grant.ts'
import type { ClientInfo, TokenEnd } from '../../../src-shared/rpc.ts'
import { hashOf } from '../../frame/route.ts'
import { useLink } from '../../link/use-host.ts'
import { dateOf } from '../../ui/time.ts'
import { Untrusted } from '../../ui/untrusted.tsx'
import { useAction } from '../../ui/use-action.ts'
import { When } from '../../ui/when.tsx'
import { ClientConfirm, type ClientAct } from './client-confirm.tsx'
import css from './client-card.module.css'
import { GrantList } from './grant-list.tsx'
import { Presence } from './presence.tsx'

interface Props {
  client: ClientInfo
  /** The names of all clients: none may be taken for another. */
  others: readonly string[]
  grants: readonly Grant[]
  /** Names to choose from. */
  policies: readonly string[]
  now: number
  /** Shows how to connect it. */
  connect: () => void
}

export function ClientCard({ client, others, grants, policies, now, connect }: Props) {
  const id = useId()
  const link = useLink()
  const action = useAction()
  const [asked, setAsked] = useState<ClientAct | null>(null)
  const isCommandLine = client.id === CLI_CLIENT_ID
  const hasKey = client.via !== 'http'

  return (
    <article className={css.card} aria-labelledby={`${id}-name`}>
      <header>
        <h3 id={`${id}-name`}>
          <Untrusted text={client.name} max={100} known={others} />
        </h3>
        <Presence client={client} />
      </header>
      <p className="soft">
        <code>{client.id}</code> · registered {dateOf(client.created)}
        {!hasKey && ` · over HTTP, ${tokenEndWords(client.tokenEnd)}`}
      </p>
      {client.coolingUntil !== null && client.coolingUntil > now && (
        <div className={css.cooling}>
          <p>Two of its requests expired unanswered, so it may not ask again until {clockTime(client.coolingUntil)}.</p>
          <button type="button" onClick={() => void action.run(() => link.call('clients.resume', { id: client.id }))}>
            Let it ask
          </button>
        </div>
      )}
      <dl className={css.facts}>
        <dt>
          <label htmlFor={`${id}-policy`}>Policy</label>
        </dt>
        <dd className={css.policy}>
          <select
            id={`${id}-policy`}
            value={client.policy}
            disabled={action.busy}
            onChange={(event) => void action.run(() => link.call('clients.bind', { id: client.id, policy: event.target.value }))}
          >
            {!policies.includes(client.policy) && <option value={client.policy}>{client.policy} (missing)</option>}
            {policies.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
          <a href={hashOf('policies', { policy: client.policy })}>Open</a>
        </dd>
        <dt>Program</dt>
        <dd>
          {client.program === null ? (
            <span className="soft">the first one that you allow</span>
          ) : (
            <code>
              <Untrusted text={client.program} max={200} />
            </code>
          )}
        </dd>
        <dt>Last seen</dt>
        <dd>
          {client.lastSeen === null ? <span className="soft">never</span> : <When wall={client.lastSeen} now={now} />} ·{' '}
          <a href={hashOf('audit', { q: `client:${client.id}` })}>its calls</a>
        </dd>
        <dt>Grants</dt>
        {grants.length === 0 ? (
          <dd className="soft">none: it reads as its policy says</dd>
        ) : (
          <dd className={css.grants}>
            <GrantList grants={grants} now={now} />
          </dd>
        )}
      </dl>
      {policies.length > 0 && !policies.includes(client.policy) && (
        <p className="fault">! Its policy is missing or refused, so everything is denied. Choose another, or write that one anew.</p>
      )}
      {client.tokenEnd?.over === true && (
        <p className="fault">
          ! Its token has ended, so nobody comes in with it. For a new one: <code>countersign clients token rotate {client.id}</code>
        </p>
      )}
      {action.error !== null && (
        <p role="alert" className="fault">
          {action.error}
        </p>
      )}
      <footer>
        <button
          type="button"
          disabled={action.busy}
          onClick={() => void action.run(() => link.call('clients.pause', { id: client.id, paused: !client.paused }))}
        >
          {client.paused ? 'Resume' : 'Pause'}
        </button>
        {hasKey && !isCommandLine && (
          <button type="button" onClick={connect}>
            How to connect
          </button>
        )}
        <span className={css.space} />
        <details className={css.more}>
          <summary>More</summary>
          <div>
            {client.program !== null && (
              <button type="button" onClick={() => setAsked('forget program')}>
                Forget program…
              </button>
            )}
            {hasKey && (
              <button type="button" onClick={() => setAsked('rotate')}>
                New key…
              </button>
            )}
            {isCommandLine ? (
              <p className="soft">The command line cannot be revoked. Pause it, or give it a narrower policy.</p>
            ) : (
              <button type="button" className="danger" onClick={() => setAsked('revoke')}>
                Revoke…
              </button>
            )}
          </div>
        </details>
      </footer>
      {asked !== null && <ClientConfirm client={client} act={asked} onClose={() => setAsked(null)} />}
    </article>
  )
}

function tokenEndWords(end: TokenEnd | undefined): string {
  if (end === undefined) return 'token without an end'
  return end.over ? `token ended on ${dateOf(end.at)}` : `token ends on ${dateOf(end.at)}`
}

const time = new Intl.DateTimeFormat('en', { timeStyle: 'short' })

function clockTime(wall: number): string {
  return time.format(wall)
}
