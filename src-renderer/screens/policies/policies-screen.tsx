import { DEFAULT_POLICY, type Policy } from '../../../src-shared/policy.ts'
import { hashOf, navigate, useRoute } from '../../frame/route.ts'
import { useHostData } from '../../link/use-host.ts'
import { useClientNames } from '../../ui/client-names.ts'
import { useKeys } from '../../ui/keys.ts'
import { ScreenHead, Trouble } from '../../ui/screen.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { draftOf, NEW_POLICY, READS, withDraft } from './draft.ts'
import { matchesOf, matchesText } from './matches.ts'
import css from './policies-screen.module.css'
import { PolicyEditor } from './policy-editor.tsx'
import { unsavedOf, useUnsaved } from './unsaved.ts'

const CHANGES = ['changed'] as const
const NONE: never[] = []

export function PoliciesScreen() {
  const { params } = useRoute()
  const { data, error } = useHostData('policies.list', {}, CHANGES)
  const secrets = useHostData('secrets.list', {}, CHANGES).data ?? NONE
  const clients = useHostData('clients.list', {}, CHANGES).data ?? NONE
  const nameOf = useClientNames()
  const names = secrets.map(({ name }) => name)
  const policies = data?.policies.toSorted(byName) ?? NONE
  const draft = draftOf(params)
  const isNew = params.has('new')
  const wanted = draft?.policy ?? params.get('policy')
  const chosen = isNew ? NEW_POLICY : (policies.find(({ name }) => name === wanted) ?? null)
  const unsaved = useUnsaved()
  const boundTo = (policy: string) => clients.filter((client) => client.policy === policy)

  const go = (where: Record<string, string>) => navigate('policies', where)
  useKeys({ n: () => go({ new: '1' }), Escape: () => go({}) })

  return (
    <div className={chosen === null ? css.screen : css.split}>
      <div className={css.list}>
        <ScreenHead title="Policies">
          <button type="button" className="primary" onClick={() => go({ new: '1' })}>
            New policy
          </button>
        </ScreenHead>
        <Trouble error={error} />
        <p className="soft">A policy says which names its clients see and how they read values. Storing and removing always asks you.</p>
        {data?.refused.map((name) => (
          <p key={name} className={css.refused} role="alert">
            ! Another program changed the policy <Untrusted text={name} quoted />. It is refused: its clients are denied everything. Save it
            anew, or give its clients another policy.{' '}
            <button type="button" onClick={() => go({ new: '1', policy: name })}>
              Write it anew
            </button>
          </p>
        ))}
        <ul className={css.cards}>
          {policies.map((policy) => (
            <li key={policy.name}>
              <a href={hashOf('policies', { policy: policy.name })} aria-current={policy.name === chosen?.name}>
                <strong>{policy.name}</strong>
                {unsaved.has(policy.name) && <span className={css.unsaved}>edited, not saved</span>}
                <span className={css.reads}>reads: {READS[policy.reads].label.toLowerCase()}</span>
                <span className="soft">{matchesText(matchesOf(policy, names))}</span>
                <span className="soft">{boundText(boundTo(policy.name).map(({ id }) => nameOf(id)))}</span>
              </a>
            </li>
          ))}
        </ul>
      </div>
      {chosen !== null && (
        <PolicyEditor
          key={JSON.stringify([chosen.name, isNew, draft])}
          saved={isNew ? null : chosen}
          first={isNew ? (unsavedOf(null) ?? { ...chosen, name: wanted ?? '' }) : withDraft(unsavedOf(chosen) ?? chosen, draft)}
          taken={policies.map(({ name }) => name)}
          secrets={names}
          bound={boundTo(chosen.name).map(({ id }) => nameOf(id))}
          onSaved={({ name }: Policy) => {
            if (isNew) navigate('policies', { policy: name })
          }}
          close={() => go({})}
          removed={() => navigate('policies')}
        />
      )}
    </div>
  )
}

/** The one everybody starts on comes first. */
function byName(a: Policy, b: Policy): number {
  return Number(b.name === DEFAULT_POLICY.name) - Number(a.name === DEFAULT_POLICY.name) || (a.name < b.name ? -1 : 1)
}

function boundText(names: readonly string[]): string {
  if (names.length === 0) return 'no client'
  return names.length <= 3 ? names.join(', ') : `${names.slice(0, 2).join(', ')} and ${names.length - 2} more`
}
