import type { ApprovalView } from '../../src-shared/approval.ts'
import { Untrusted } from '../ui/untrusted.tsx'
import css from './facts.module.css'

/** Who asks: the processes behind the connection, outermost first, and what the client says of itself. */
export function Who({ view }: { view: ApprovalView }) {
  const chain = view.peer.toReversed()
  return (
    <dl className={css.facts}>
      <dt>Who</dt>
      <dd>
        <span>
          {chain.length === 0
            ? 'an unknown process'
            : chain.map((step, index) => (
                <span key={step.pid}>
                  {index > 0 && <span className={css.soft}> › </span>}
                  <Untrusted text={step.name} max={24} />
                </span>
              ))}
        </span>
        <span className={view.standing === 'verified' ? css.good : css.warn}>{view.standing}</span>
      </dd>
      {view.says !== null && (
        <>
          <dt>Says</dt>
          <dd>
            <span>
              “<Untrusted text={view.says} />” <span className={css.soft}>(self-declared)</span>
            </span>
          </dd>
        </>
      )}
      {chain.length > 0 && (
        <>
          <dt className="unseen">Processes</dt>
          <dd>
            <details open={view.standing !== 'verified'}>
              <summary>Programs</summary>
              <ol>
                {chain.map((step) => (
                  <li key={step.pid}>
                    <code>{step.exe === null ? <Untrusted text={step.name} /> : <Untrusted text={step.exe} max={90} />}</code>{' '}
                    <span className={css.soft}>pid {step.pid}</span>
                  </li>
                ))}
              </ol>
            </details>
          </dd>
        </>
      )}
    </dl>
  )
}
