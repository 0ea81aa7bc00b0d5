import type { ImportPlan } from '../../src-shared/backup.ts'
import type { Policy } from '../../src-shared/policy.ts'
import css from './import-facts.module.css'
import { Untrusted } from './untrusted.tsx'

const MOST_NAMED = 8

/** What a backup would change, before anybody answers. Every text in it is the file's. */
export function ImportFacts({ plan }: { plan: ImportPlan }) {
  const { added, changed, policies, kept, clients, settings, keptSettings } = plan
  const isNothing = [added, changed, policies, clients, settings].every(({ length }) => length === 0)
  return (
    <dl className={css.facts} aria-label="What the backup would change">
      {isNothing && <Fact of="Changes">nothing: all of it is here already</Fact>}
      <Names of="New secrets" names={added} />
      <Names of="New versions" names={changed} />
      {policies.map(({ was, now }) => (
        <Fact key={now.name} of={was === null ? 'New policy' : 'Policy'}>
          <Untrusted text={now.name} />: {was !== null && <Rules of={was} />} {was !== null && '→'} <Rules of={now} />
        </Fact>
      ))}
      {clients.map(({ id, name, policy }) => (
        <Fact key={id} of="New client">
          <Untrusted text={name} /> (<Untrusted text={id} />) under the policy <Untrusted text={policy} />,{' '}
          {plan.withKeys ? <strong>with a key: it can connect at once</strong> : 'without a key'}
        </Fact>
      ))}
      {settings.map(({ name, was, now }) => (
        <Fact key={name} of="Setting">
          {name}: {was} → {now}
        </Fact>
      ))}
      <Names of="Stay as they are" names={[...kept, ...keptSettings]} />
      <Fact of="File">
        SHA-256 <code>{plan.sha256}</code>
      </Fact>
    </dl>
  )
}

function Fact({ of, children }: { of: string; children: React.ReactNode }) {
  return (
    <>
      <dt>{of}</dt>
      <dd>{children}</dd>
    </>
  )
}

function Names({ of, names }: { of: string; names: readonly string[] }) {
  if (names.length === 0) return null
  return (
    <Fact of={of}>
      {names.length}: <Untrusted text={names.slice(0, MOST_NAMED).join(', ')} max={200} />
      {names.length > MOST_NAMED && (
        <details>
          <summary>and {names.length - MOST_NAMED} more</summary>
          <Untrusted text={names.slice(MOST_NAMED).join(', ')} max={1000} />
        </details>
      )}
    </Fact>
  )
}

function Rules({ of: { allow, deny, reads } }: { of: Policy }) {
  return (
    <span>
      allow <Untrusted text={allow.join(', ') || 'nothing'} max={100} />
      {deny.length > 0 && (
        <>
          {' '}
          deny <Untrusted text={deny.join(', ')} max={100} />
        </>
      )}{' '}
      reads {reads}
    </span>
  )
}
