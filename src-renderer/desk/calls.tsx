import { useId, useState } from 'react'
import { decidedBy, type AuditRow, type Outcome } from '../../src-shared/audit.ts'
import { PERSON } from '../../src-shared/client.ts'
import { useHostData } from '../link/use-host.ts'
import { absolute, ago, useNow } from '../ui/time.ts'
import { Untrusted } from '../ui/untrusted.tsx'
import css from './calls.module.css'

const AUDIT_EVENTS = ['audit'] as const
const SHOWN = 100

/** Word, glyph and tint together: colour never speaks alone. */
const OUTCOMES: Record<Outcome, { glyph: string; tint: string | undefined }> = {
  allowed: { glyph: '✓', tint: css.good },
  denied: { glyph: '✕', tint: css.bad },
  waiting: { glyph: '…', tint: css.warn },
  expired: { glyph: '◔', tint: css.bad },
  cancelled: { glyph: '–', tint: css.quiet },
  rejected: { glyph: '✕', tint: css.bad },
  limited: { glyph: '≈', tint: css.warn },
  timeout: { glyph: '◔', tint: css.warn },
  failed: { glyph: '!', tint: css.bad },
  recovered: { glyph: '↻', tint: css.warn },
}

export function Calls() {
  const id = useId()
  const [everything, setEverything] = useState(false)
  const filter = everything ? {} : { event: ['call'] }
  const { data, error } = useHostData('audit.query', { filter, limit: SHOWN }, AUDIT_EVENTS)
  const now = useNow(15_000)

  return (
    <section aria-labelledby={`${id}-title`}>
      <div className={css.head}>
        <h2 id={`${id}-title`}>{everything ? 'Latest entries' : 'Last calls'}</h2>
        <label>
          <input type="checkbox" checked={everything} onChange={(event) => setEverything(event.target.checked)} />
          Everything on record
        </label>
      </div>
      {error !== null && <p role="alert">{error}</p>}
      {data !== null && data.rows.length === 0 && (
        <p className={css.empty}>
          Every call of an AI client will appear here, whatever its end. To see the first one, let a client start{' '}
          <code>countersign mcp</code>, or run <code>countersign list</code> in a terminal.
        </p>
      )}
      {data !== null && data.rows.length > 0 && (
        <div className={css.frame} role="region" aria-labelledby={`${id}-title`} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">Who</th>
                <th scope="col">What</th>
                <th scope="col">Secret</th>
                <th scope="col">Outcome</th>
                <th scope="col" className={css.why}>
                  Decided by
                </th>
              </tr>
            </thead>
            <tbody>
              {data.rows.map((row) => (
                <Row key={row.seq} row={row} now={now} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

function Row({ row, now }: { row: AuditRow; now: number }) {
  const why = decidedBy(row)
  return (
    <tr>
      <td>
        <time dateTime={new Date(row.wall).toISOString()} title={absolute(row.wall)}>
          {ago(row.wall, now)}
        </time>
      </td>
      <td>{row.client === PERSON ? 'you' : row.client !== null && <Untrusted text={row.client} max={24} />}</td>
      <td>
        <Untrusted text={row.event === 'call' ? (row.tool ?? 'unknown') : row.event} max={30} />
      </td>
      <td>{row.secret !== null && <Untrusted text={row.secret} max={36} />}</td>
      <td>{row.outcome !== null && <OutcomeLabel outcome={row.outcome} />}</td>
      <td className={css.why}>{why !== '' && <Untrusted text={why} max={60} />}</td>
    </tr>
  )
}

function OutcomeLabel({ outcome }: { outcome: Outcome }) {
  const { glyph, tint } = OUTCOMES[outcome]
  return (
    <span className={`${css.outcome} ${tint}`}>
      <span aria-hidden="true">{glyph}</span> {outcome}
    </span>
  )
}
