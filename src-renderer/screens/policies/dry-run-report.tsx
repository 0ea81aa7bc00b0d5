import type { DryRun, DryRunChange } from '../../../src-shared/dry-run.ts'
import { useClientNames } from '../../ui/client-names.ts'
import tints from '../../ui/tints.module.css'
import css from './dry-run-report.module.css'
import { changeText } from './dry-run-words.ts'
import type { DryRunState } from './use-dry-run.ts'

/** The last 7 days, decided once more as if the policy were saved already. */
export function DryRunReport({ run, error }: DryRunState) {
  const nameOf = useClientNames()
  return (
    <section className={css.report} aria-live="polite">
      <h4>Dry run: the last 7 days</h4>
      {error !== null && <p className="fault">{error}</p>}
      {run === null && error === null && <p className="soft">Deciding…</p>}
      {run !== null && <p className="soft">{verdictText(run)}</p>}
      {run !== null && run.changes.length > 0 && (
        <ul>
          {run.changes.map((change) => (
            <li key={`${change.client} ${change.was} ${change.now}`} className={tint(change)}>
              <span aria-hidden="true">{GLYPHS[change.now]}</span> {changeText(change, nameOf(change.client))}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const GLYPHS: Record<DryRunChange['now'], string> = { allow: '✓', ask: '?', deny: '✕' }

function tint({ now }: DryRunChange): string | undefined {
  return now === 'deny' ? tints.bad : now === 'ask' ? tints.warn : tints.good
}

function verdictText({ calls, changes }: DryRun): string {
  if (calls === 0) return 'No client that is bound to it read, stored or removed anything.'
  const decided = `${calls} ${calls === 1 ? 'call was' : 'calls were'} decided once more`
  return changes.length === 0 ? `${decided}: nothing would have been different.` : `${decided}. As it is edited, the policy …`
}
