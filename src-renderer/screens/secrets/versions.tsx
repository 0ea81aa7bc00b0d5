import { useState } from 'react'
import type { SecretInfo, SecretVersion } from '../../../src-shared/secret.ts'
import { useHostData, useLink } from '../../link/use-host.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { useAction } from '../../ui/use-action.ts'
import { When } from '../../ui/when.tsx'
import css from './versions.module.css'

const CHANGES = ['changed'] as const

/** Former values can come back, until the person clears them. */
export function Versions({ secret, now }: { secret: SecretInfo; now: number }) {
  const link = useLink()
  const { data, error } = useHostData('secrets.versions', { name: secret.name }, CHANGES)
  const [asked, setAsked] = useState<SecretVersion | 'clear' | null>(null)
  const action = useAction()
  const former = data?.filter(({ current }) => !current) ?? []

  const close = () => {
    setAsked(null)
    action.clear()
  }
  async function act(work: () => Promise<unknown>): Promise<void> {
    if (await action.run(work)) close()
  }

  return (
    <section className={css.versions}>
      <header>
        <h4>Versions</h4>
        {former.length > 0 && (
          <button type="button" className="plain" onClick={() => setAsked('clear')}>
            Clear history…
          </button>
        )}
      </header>
      {error !== null && <p className="fault">{error}</p>}
      {data !== null && (
        <ol>
          {data.map((version) => (
            <li key={version.version}>
              <span>
                <strong>{version.version}</strong> <When wall={version.created} now={now} /> by{' '}
                <Untrusted text={version.storedBy || 'nobody known'} max={24} />
              </span>
              {version.current ? (
                <span className="soft">current</span>
              ) : (
                <button type="button" aria-label={`Restore version ${version.version}`} onClick={() => setAsked(version)}>
                  Restore
                </button>
              )}
            </li>
          ))}
        </ol>
      )}
      {data !== null && former.length === 0 && <p className="soft">Former values will be kept here, so that you can go back.</p>}
      {asked === 'clear' && (
        <Confirm
          title={`Clear the history of ${secret.name}?`}
          verb="Clear history"
          busy={action.busy}
          error={action.error}
          onClose={close}
          onConfirm={() => void act(() => link.call('secrets.forget', { name: secret.name }))}
        >
          <p>
            {former.length === 1 ? 'One former value is' : `${former.length} former values are`} deleted for good. The current value stays.
          </p>
        </Confirm>
      )}
      {asked !== null && asked !== 'clear' && (
        <Confirm
          title={`Restore version ${asked.version} of ${secret.name}?`}
          verb={`Restore version ${asked.version}`}
          busy={action.busy}
          error={action.error}
          onClose={close}
          onConfirm={() => void act(() => link.call('secrets.restore', { name: secret.name, version: asked.version }))}
        >
          <p>Its value becomes the next version and is what clients read from then on. The current value stays in the history.</p>
        </Confirm>
      )}
    </section>
  )
}
