import { useState } from 'react'
import type { Result } from '../../../src-shared/rpc.ts'
import type { SecretInfo } from '../../../src-shared/secret.ts'
import { hashOf } from '../../frame/route.ts'
import { useClientNames } from '../../ui/client-names.ts'
import { Sparkline } from '../../ui/sparkline.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { When } from '../../ui/when.tsx'
import { Expiry, StateBadge, Tags } from './marks.tsx'
import css from './secret-table.module.css'

interface Props {
  secrets: readonly SecretInfo[]
  uses: Result<'secrets.uses'> | null
  chosen: string | null
  now: number
  choose: (name: string) => void
}

/** More rows at once help nobody; a search does. */
const PAGE = 300

export function SecretTable({ secrets, uses, chosen, now, choose }: Props) {
  const [most, setMost] = useState(PAGE)
  const nameOf = useClientNames()
  const byName = new Map(uses?.secrets.map((one) => [one.name, one]))
  return (
    <>
      <div className={css.frame}>
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col" className={css.tags}>
                Tags
              </th>
              <th scope="col" className={css.used}>
                Used by
              </th>
              <th scope="col">Last used</th>
              <th scope="col" className={css.expires}>
                Expires
              </th>
              <th scope="col" className={css.week}>
                7 days
              </th>
            </tr>
          </thead>
          <tbody>
            {secrets.slice(0, most).map((secret) => (
              <tr key={secret.name} data-chosen={secret.name === chosen} onClick={() => choose(secret.name)}>
                <td>
                  <span className={css.name}>
                    <a
                      href={hashOf('secrets', { name: secret.name })}
                      title={secret.name}
                      aria-current={secret.name === chosen}
                      onClick={(event) => {
                        event.preventDefault()
                        choose(secret.name)
                      }}
                    >
                      {secret.name}
                    </a>
                    <StateBadge state={secret.state} />
                  </span>
                </td>
                <td className={css.tags}>
                  <Tags tags={secret.tags} most={2} />
                </td>
                <td className={css.used}>
                  <UsedBy clients={byName.get(secret.name)?.clients.map(({ client }) => nameOf(client)) ?? []} />
                </td>
                <td>{secret.lastUsed === null ? <span className="soft">never</span> : <When wall={secret.lastUsed} now={now} />}</td>
                <td className={css.expires}>
                  <Expiry expires={secret.expires} now={now} />
                </td>
                <td className={css.week}>
                  {uses !== null && <Sparkline counts={byName.get(secret.name)?.counts ?? uses.days.map(() => 0)} days={uses.days} />}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {secrets.length > most && (
        <button type="button" className={css.rest} onClick={() => setMost(most + PAGE)}>
          Show {Math.min(PAGE, secrets.length - most)} more of {secrets.length}
        </button>
      )}
    </>
  )
}

const NAMED = 2

function UsedBy({ clients }: { clients: string[] }) {
  if (clients.length === 0) return <span className="soft">–</span>
  const more = clients.length - NAMED
  return (
    <span title={clients.join(', ')}>
      <Untrusted text={clients.slice(0, NAMED).join(', ')} max={36} />
      {more > 0 && <span className="soft"> +{more}</span>}
    </span>
  )
}
