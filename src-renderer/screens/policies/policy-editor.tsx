import { useEffect, useId, useState, type FormEvent } from 'react'
import { globFault } from '../../../src-shared/glob.ts'
import { DEFAULT_POLICY, type Policy, type Reads } from '../../../src-shared/policy.ts'
import { useLink } from '../../link/use-host.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { useAction } from '../../ui/use-action.ts'
import { isSame, NEW_POLICY, policyNameFault, READS } from './draft.ts'
import { DryRunReport } from './dry-run-report.tsx'
import { dryRunLine } from './dry-run-words.ts'
import { MatchList } from './match-list.tsx'
import { matchesOf } from './matches.ts'
import { PatternList } from './pattern-list.tsx'
import css from './policy-editor.module.css'
import { keepUnsaved } from './unsaved.ts'
import { useDryRun } from './use-dry-run.ts'

interface Props {
  /** Null: a new one. */
  saved: Policy | null
  /** What the editor begins with. */
  first: Policy
  taken: readonly string[]
  secrets: readonly string[]
  /** Clients bound to it, by name. */
  bound: readonly string[]
  onSaved: (policy: Policy) => void
  close: () => void
  removed: () => void
}

export function PolicyEditor({ saved, first, taken, secrets, bound, onSaved, close, removed }: Props) {
  const id = useId()
  const link = useLink()
  const action = useAction()
  const removing = useAction()
  const [policy, setPolicy] = useState(first)
  const [base, setBase] = useState(saved)
  const [sure, setSure] = useState(false)
  if (saved !== null && base !== null && !isSame(saved, base)) {
    // Saved meanwhile, here or in another window: an editor in which nothing was changed follows.
    setBase(saved)
    if (isSame(policy, base)) setPolicy(saved)
  }
  const nameFault = saved === null ? policyNameFault(policy.name, taken) : null
  const faulty = [...policy.allow, ...policy.deny].some((pattern) => globFault(pattern) !== null)
  const changed = saved === null || !isSame(saved, policy)
  const isTried = saved !== null && changed && !faulty
  const dryRun = useDryRun(isTried ? policy : null)
  const change = (changes: Partial<Policy>) => setPolicy({ ...policy, ...changes })

  useEffect(() => keepUnsaved(saved, policy), [saved, policy])

  async function submitted(event: FormEvent): Promise<void> {
    event.preventDefault()
    if (nameFault !== null || faulty) return
    if (!(await action.run(() => link.call('policies.save', policy)))) return
    keepUnsaved(saved, saved ?? NEW_POLICY)
    onSaved(policy)
  }

  async function remove(): Promise<void> {
    if (!(await removing.run(() => link.call('policies.remove', { name: policy.name })))) return
    keepUnsaved(saved, saved ?? NEW_POLICY)
    removed()
  }

  return (
    <form className={css.editor} onSubmit={(event) => void submitted(event)} aria-labelledby={`${id}-title`}>
      <header>
        <h3 id={`${id}-title`}>{saved === null ? 'New policy' : policy.name}</h3>
        <button type="button" className="plain" aria-label="Close the policy" onClick={close}>
          ✕
        </button>
      </header>
      <div className={css.columns}>
        <div className={css.fields}>
          {saved === null && (
            <div>
              <label htmlFor={`${id}-name`}>Name</label>
              <input
                id={`${id}-name`}
                value={policy.name}
                maxLength={64}
                spellCheck={false}
                autoCapitalize="none"
                placeholder="work"
                aria-describedby={`${id}-name-fault`}
                onChange={(event) => change({ name: event.target.value })}
              />
              <p id={`${id}-name-fault`} className="fault">
                {policy.name === '' ? '' : nameFault}
              </p>
            </div>
          )}
          <div>
            <label htmlFor={`${id}-description`}>Description</label>
            <input
              id={`${id}-description`}
              value={policy.description}
              maxLength={500}
              placeholder="What it is for"
              onChange={(event) => change({ description: event.target.value })}
            />
          </div>
          <PatternList
            label="Allow"
            empty="Nothing is allowed yet: its clients see no name at all."
            patterns={policy.allow}
            onChange={(allow) => change({ allow })}
          />
          <PatternList
            label="Deny"
            empty="Nothing is taken away from what is allowed."
            patterns={policy.deny}
            onChange={(deny) => change({ deny })}
          />
          <p className="soft">
            <code>*</code> any run, / included · <code>?</code> one character · <code>[a-z]</code> <code>[!x]</code> ·{' '}
            <code>{'{a,b}'}</code> · deny beats allow.
          </p>
          <fieldset className={css.reads}>
            <legend>Reading a value</legend>
            {(Object.keys(READS) as Reads[]).map((reads) => (
              <label key={reads}>
                <input type="radio" name={`${id}-reads`} checked={policy.reads === reads} onChange={() => change({ reads })} />
                <span>
                  {READS[reads].label}
                  <span className="soft">{READS[reads].says}</span>
                </span>
              </label>
            ))}
          </fieldset>
        </div>
        <div className={css.effects}>
          <MatchList matches={matchesOf(policy, secrets)} total={secrets.length} />
          <section>
            <h4>Clients</h4>
            <p>{bound.length === 0 ? 'No client is bound to it. Choose it for one on the Clients screen.' : bound.join(', ')}</p>
            {policy.name === DEFAULT_POLICY.name && <p className="soft">Callers without a registration are bound to it, too.</p>}
          </section>
          {isTried && <DryRunReport {...dryRun} />}
        </div>
      </div>
      <footer>
        {action.error !== null && (
          <p role="alert" className="fault">
            {action.error}
          </p>
        )}
        {saved !== null && (
          <button type="button" className="danger" onClick={() => setSure(true)}>
            Remove…
          </button>
        )}
        {/* Where the columns are below each other, the report may be out of sight. */}
        <p className={css.short}>{dryRun.run !== null && dryRunLine(dryRun.run)}</p>
        {!isSame(saved ?? NEW_POLICY, policy) && (
          <button type="button" onClick={() => setPolicy(saved ?? NEW_POLICY)}>
            Discard
          </button>
        )}
        <button type="submit" className="primary" disabled={action.busy || !changed || nameFault !== null || faulty}>
          {saved === null ? 'Create policy' : 'Save policy'}
        </button>
      </footer>
      {sure && (
        <Confirm
          title={`Remove the policy ${policy.name}?`}
          verb="Remove"
          busy={removing.busy}
          error={removing.error}
          onClose={() => setSure(false)}
          onConfirm={() => void remove()}
        >
          <p>
            {bound.length === 0
              ? 'No client is bound to it.'
              : `${bound.join(', ')} must be given another policy first: a client without a policy is denied everything.`}
          </p>
          {policy.name === DEFAULT_POLICY.name && <p>Callers without a registration are bound to it: they would be denied everything.</p>}
        </Confirm>
      )}
    </form>
  )
}
