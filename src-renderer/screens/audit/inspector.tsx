import { useEffect, useId, useRef } from 'react'
import { decidedBy, type LedgerEntry } from '../../../src-shared/audit.ts'
import { showLines, showUntrusted } from '../../../src-shared/untrusted.ts'
import { useHostData } from '../../link/use-host.ts'
import { OutcomeLabel } from '../../ui/outcome.tsx'
import { absolute, ago, useNow } from '../../ui/time.ts'
import { Untrusted } from '../../ui/untrusted.tsx'
import { argumentsOf } from './arguments.ts'
import { valueOf, type CellValue } from './columns.ts'
import css from './inspector.module.css'
import { timelineOf } from './timeline.ts'
import { Timeline } from './timeline-chart.tsx'
import { whoText } from './who.ts'

const AUDIT_EVENTS = ['audit'] as const

interface Props {
  seq: number
  /** What can be done with a value of it. */
  onCell: (cell: CellValue, entry: LedgerEntry, at: { x: number; y: number }) => void
  onClose: () => void
}

/** One entry, or everything about one call: what, when, by whom, and as it is on record. */
export function Inspector({ seq, onCell, onClose }: Props) {
  const id = useId()
  const close = useRef<HTMLButtonElement>(null)
  const { data: story, error } = useHostData('audit.story', { seq }, AUDIT_EVENTS)
  // Until the next one is there, the one before is shown.
  const last = story?.findLast(({ kind }) => kind === 'outcome') ?? story?.at(-1)
  const title = last === undefined ? `Entry ${seq}` : titleOf(last)
  useEffect(() => {
    const focused = document.activeElement
    // Whoever came by a link or with the pointer; the list keeps the focus of whoever came by keys.
    if (focused === document.body) close.current?.focus()
  }, [])

  return (
    <aside
      className={css.inspector}
      aria-labelledby={`${id}-title`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        onClose()
      }}
    >
      <header>
        <h2 id={`${id}-title`} title={title}>
          {title}
        </h2>
        <button ref={close} type="button" className="plain" aria-label="Close" title="Close (Esc)" onClick={onClose}>
          ✕
        </button>
      </header>
      <div className={css.body} tabIndex={0} role="region" aria-labelledby={`${id}-title`}>
        {error !== null && <p role="alert">{error}</p>}
        {story !== null && last === undefined && <p className="soft">There is no entry {seq} in the log any more.</p>}
        {story !== null && last !== undefined && <Story story={story} last={last} onCell={onCell} />}
      </div>
    </aside>
  )
}

function titleOf({ event, tool, secret, client }: LedgerEntry): string {
  const what = event === 'call' ? (tool ?? 'unknown tool') : event
  return [what, secret, client === null ? null : whoText(client)]
    .filter((part) => part !== null)
    .map((part) => showUntrusted(part, 60))
    .join(' · ')
}

function Story({ story, last, onCell }: { story: LedgerEntry[]; last: LedgerEntry; onCell: Props['onCell'] }) {
  const now = useNow(15_000)
  const [first = last] = story
  const args = argumentsOf(last)
  const chain = last.peer?.split(' › ') ?? []
  const because = decidedBy(last)
  const { says, reason, version, path } = last.detail
  const fact = (label: string, field: Parameters<typeof valueOf>[0], value: string | null, shown?: string) => {
    const cell = valueOf(field, value)
    return cell === null ? null : <Fact label={label} cell={cell} shown={shown} onMenu={(at) => onCell(cell, last, at)} />
  }

  return (
    <>
      <dl className={css.facts}>
        <dt>Outcome</dt>
        <dd>{last.outcome === null ? <span className="soft">none of its own</span> : <OutcomeLabel outcome={last.outcome} />}</dd>
        <dt>When</dt>
        <dd>
          {absolute(last.wall)} <span className="soft">{ago(last.wall, now)}</span>
          {last.clockBack && <span className={css.warn}>the clock had been set back</span>}
        </dd>
        {fact('Client', 'client', last.client, last.client === null ? undefined : whoText(last.client))}
        {last.standing !== null && (
          <>
            <dt>Standing</dt>
            <dd>{last.standing}</dd>
          </>
        )}
        {typeof says === 'string' && (
          <>
            <dt>Says</dt>
            <dd>
              <Untrusted text={says} quoted /> <span className="soft">(self-declared)</span>
            </dd>
          </>
        )}
        {last.event === 'call' ? fact('Tool', 'tool', last.tool) : fact('Event', 'event', last.event)}
        {fact('Secret', 'secret', last.secret)}
        {typeof path === 'string' && (
          <>
            <dt>File</dt>
            <dd>
              <Untrusted text={path} max={128} path />
            </dd>
          </>
        )}
        {because !== '' && (
          <>
            <dt>Decided by</dt>
            <dd>
              <Untrusted text={because} max={120} />
            </dd>
          </>
        )}
        {typeof reason === 'string' && (
          <>
            <dt>Reason</dt>
            <dd>
              <Untrusted text={reason} max={200} />
            </dd>
          </>
        )}
        {typeof version === 'number' && (
          <>
            <dt>Version</dt>
            <dd>{version}</dd>
          </>
        )}
      </dl>

      {last.call !== null && <Timeline steps={timelineOf(story)} />}

      {args.length > 0 && (
        <section>
          <h3>Arguments</h3>
          <dl className={css.facts}>
            {args.map(({ name, value }) => (
              <div key={name}>
                <dt>
                  <code>{showUntrusted(name, 64)}</code>
                </dt>
                <dd>
                  {value === null ? (
                    <span className="soft">not recorded</span>
                  ) : (
                    <code>
                      <Untrusted text={value} max={128} />
                    </code>
                  )}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      )}

      {chain.length > 0 && (
        <section>
          <h3>Process</h3>
          <ol className={css.chain}>
            {chain.map((step, depth) => (
              // A chain may have the same program twice.
              <li key={`${depth} ${step}`}>
                <Untrusted text={step} />
              </li>
            ))}
          </ol>
        </section>
      )}

      <details className={css.raw}>
        <summary>
          On record as {story.length === 1 ? `entry ${first.seq}` : `entries ${story.map((entry) => entry.seq).join(', ')}`}
        </summary>
        <pre tabIndex={0}>{showLines(JSON.stringify(story.length === 1 ? story[0] : story, null, 2))}</pre>
      </details>
    </>
  )
}

function Fact({
  label,
  cell,
  shown,
  onMenu,
}: {
  label: string
  cell: CellValue
  shown: string | undefined
  onMenu: (at: { x: number; y: number }) => void
}) {
  return (
    <>
      <dt>{label}</dt>
      <dd>
        <Untrusted text={shown ?? cell.text} max={128} />{' '}
        <button
          type="button"
          className={css.dots}
          aria-haspopup="menu"
          aria-label={`What to do with this ${label.toLowerCase()}`}
          onClick={({ currentTarget }) => {
            const { left, bottom } = currentTarget.getBoundingClientRect()
            onMenu({ x: left, y: bottom + 2 })
          }}
        >
          ⋯
        </button>
      </dd>
    </>
  )
}
