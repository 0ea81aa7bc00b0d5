import type { ApprovalView } from '../../src-shared/approval.ts'
import { showUntrusted } from '../../src-shared/untrusted.ts'
import { Badge } from '../ui/badge.tsx'
import { Untrusted } from '../ui/untrusted.tsx'
import css from './facts.module.css'

const SHOWN_STEPS = 4
/** As much as fits on one line of the prompt window. */
const SHOWN_OF_SAYS = 36
const SHOWN_OF_PATH = 48

/** Which file it is about, where it is about one. And who asks: the processes behind the connection, outermost first, and what the client says of itself. */
export function Who({ view }: { view: ApprovalView }) {
  const chain = view.peer.toReversed()
  const nearest = chain.slice(-SHOWN_STEPS).map((step) => showUntrusted(step.name, 24))
  const names = [...(chain.length > SHOWN_STEPS ? ['…'] : []), ...nearest].join(' › ')
  const standing = <Badge tone={view.standing === 'verified' ? 'good' : 'warn'}>{view.standing}</Badge>
  return (
    <dl className={css.facts}>
      {view.file !== null && (
        <>
          <dt>File</dt>
          <dd>
            <Untrusted text={view.file} max={SHOWN_OF_PATH} path />
          </dd>
        </>
      )}
      <dt>Who</dt>
      <dd>
        {chain.length === 0 ? (
          <span>an unknown process {standing}</span>
        ) : (
          <details open={view.standing !== 'verified'}>
            <summary>
              <bdi>{names}</bdi> {standing}
            </summary>
            <ol>
              {chain.map((step) => (
                <li key={step.pid}>
                  <code>
                    <Untrusted text={step.exe ?? step.name} max={80} />
                  </code>{' '}
                  <span className={css.soft}>pid {step.pid}</span>
                </li>
              ))}
            </ol>
          </details>
        )}
      </dd>
      {view.says !== null && (
        <>
          <dt>Says</dt>
          <dd className={css.says}>
            <Untrusted text={view.says} max={SHOWN_OF_SAYS} quoted known={[view.clientName]} />{' '}
            <span className={css.soft}>(self-declared)</span>
          </dd>
        </>
      )}
    </dl>
  )
}
