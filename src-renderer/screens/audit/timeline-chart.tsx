import { showUntrusted } from '../../../src-shared/untrusted.ts'
import css from './timeline-chart.module.css'
import type { Step } from './timeline.ts'

const counts = new Intl.NumberFormat('en')

/** From received to answered, to scale, with the milliseconds in words beside. */
export function Timeline({ steps }: { steps: Step[] }) {
  const end = Math.max(1, ...steps.map(({ at }) => at ?? 0))
  return (
    <section className={css.timeline}>
      <h3>Timeline</h3>
      <ol>
        {steps.map(({ label, at, took, note }) => (
          <li key={`${at} ${label}`}>
            <span className={css.time}>{at === null ? 'later' : `${counts.format(at)} ms`}</span>
            <svg className={css.scale} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
              <rect className={css.ground} x="0" y="2.5" width="100" height="1" />
              {at !== null && (
                <rect
                  className={css.mark}
                  x={Math.min(97, (at / end) * 97)}
                  y="0"
                  width={Math.max(3, ((took ?? 0) / end) * 97)}
                  height="6"
                />
              )}
            </svg>
            <span className={css.label}>
              {label}
              {took !== null && <span className="soft"> took {counts.format(took)} ms</span>}
              {note !== null && <span className="soft"> {showUntrusted(note, 120)}</span>}
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}
