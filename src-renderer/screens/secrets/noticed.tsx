import type { SecretInfo } from '../../../src-shared/secret.ts'
import { useLink } from '../../link/use-host.ts'
import { useAction } from '../../ui/use-action.ts'
import css from './noticed.module.css'

/** Another program touched this secret: what that means, and the ways back. */
export function Noticed({ secret }: { secret: SecretInfo }) {
  const link = useLink()
  const action = useAction()
  if (secret.state === 'ok') return null
  const missing = secret.state === 'missing'
  return (
    <section className={css.noticed}>
      <p>
        {missing
          ? 'Another program deleted the value from the keychain. Restore a former version below, store a new value with Edit, or delete the secret.'
          : 'Another program wrote over the value in the keychain, so no client is given it. Keep what it wrote as the next version, or restore a former version below.'}
      </p>
      {!missing && (
        <button
          type="button"
          disabled={action.busy}
          onClick={() => void action.run(() => link.call('secrets.adopt', { name: secret.name }))}
        >
          Keep what it wrote
        </button>
      )}
      {action.error !== null && (
        <p role="alert" className="fault">
          {action.error}
        </p>
      )}
    </section>
  )
}
