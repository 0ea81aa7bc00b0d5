import { DEFAULT_POLICY } from '../../../src-shared/policy.ts'
import type { Grant } from '../../../src-shared/grant.ts'
import { UNREGISTERED } from '../../../src-shared/client.ts'
import { hashOf } from '../../frame/route.ts'
import css from './client-card.module.css'
import { GrantList } from './grant-list.tsx'

/** Whoever starts the bridge without a registration. */
export function UnregisteredCard({ grants, now }: { grants: readonly Grant[]; now: number }) {
  return (
    <article className={css.card} aria-label="Unregistered callers">
      <header>
        <h3>Unregistered callers</h3>
      </header>
      <p className="soft">
        Any program of yours can start the bridge without a registration. Such a caller is bound to the policy{' '}
        <a href={hashOf('policies', { policy: DEFAULT_POLICY.name })}>{DEFAULT_POLICY.name}</a>, is shown as unverified, and no answer you
        give it is remembered.
      </p>
      {grants.length > 0 && <GrantList grants={grants} now={now} />}
      <footer>
        <a href={hashOf('audit', { q: `client:${UNREGISTERED}` })}>Their calls</a>
      </footer>
    </article>
  )
}
