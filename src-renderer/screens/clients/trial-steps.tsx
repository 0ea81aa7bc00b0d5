import type { TrialReport } from '../../../src-shared/registration.ts'
import css from './found-clients.module.css'

/** What came of starting the client's command as the client would. */
export function TrialSteps({ report }: { report: TrialReport }) {
  return (
    <div role="status" className={css.trial}>
      <p>{report.ok ? 'It works: started as this client would start it, in both eras of the protocol.' : 'It does not work yet.'}</p>
      <ol>
        {report.steps.map(({ name, ok, detail, ms }) => (
          <li key={name} className={ok ? undefined : css.bad}>
            <span aria-hidden="true">{ok ? '✓' : '✕'}</span>
            <span className="unseen">{ok ? 'done:' : 'failed:'}</span> {name}, {ms} ms: {detail}
          </li>
        ))}
      </ol>
    </div>
  )
}
