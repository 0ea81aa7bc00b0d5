import type { Grant } from '../../../src-shared/grant.ts'
import { useLink } from '../../link/use-host.ts'
import { Untrusted } from '../../ui/untrusted.tsx'
import { useAction } from '../../ui/use-action.ts'
import css from './grant-list.module.css'
import { grantLeft, grantText } from './grant-words.ts'

/** Remembered answers, each with what is left of it and the way to end it. */
export function GrantList({ grants, now }: { grants: readonly Grant[]; now: number }) {
  const link = useLink()
  const action = useAction()
  return (
    <>
      <ul className={css.grants}>
        {grants.map((grant) => (
          <li key={grant.id}>
            <span>
              {grantText(grant)}{' '}
              <code>
                <Untrusted text={grant.name} max={60} />
              </code>
            </span>
            <span className="soft">{grantLeft(grant, now)}</span>
            <button
              type="button"
              aria-label={`Revoke: ${grantText(grant)} ${grant.name}`}
              disabled={action.busy}
              onClick={() => void action.run(() => link.call('grants.revoke', { id: grant.id }))}
            >
              Revoke
            </button>
          </li>
        ))}
      </ul>
      {action.error !== null && (
        <p role="alert" className="fault">
          {action.error}
        </p>
      )}
    </>
  )
}
