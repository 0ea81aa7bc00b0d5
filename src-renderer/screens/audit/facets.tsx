import { useState, type KeyboardEvent, type MouseEvent } from 'react'
import type { AuditFacets, FacetCount } from '../../../src-shared/audit.ts'
import { choiceOf, choose, type Choice } from '../../../src-shared/query-edits.ts'
import { QUERY_FIELDS, type QueryField } from '../../../src-shared/query.ts'
import { showUntrusted } from '../../../src-shared/untrusted.ts'
import css from './facets.module.css'
import { whoText } from './who.ts'

const LABELS: Record<QueryField, string> = { outcome: 'Outcome', client: 'Client', tool: 'Tool', secret: 'Secret', event: 'Event' }
const ORDER: readonly QueryField[] = ['outcome', ...QUERY_FIELDS.filter((field) => field !== 'outcome')]
const FEW = 6
const MANY = 60
const counts = new Intl.NumberFormat('en')

interface Props {
  facets: AuditFacets
  query: string
  onQuery: (query: string) => void
}

/** What there is, counted: a click asks for a value, Alt and a click or `x` leaves it out, once more takes it back. */
export function Facets({ facets, query, onQuery }: Props) {
  return (
    <div className={css.facets}>
      {ORDER.map((field) => (
        <Facet key={field} field={field} found={facets[field]} query={query} onQuery={onQuery} />
      ))}
    </div>
  )
}

function Facet({ field, found, query, onQuery }: { field: QueryField; found: FacetCount[]; query: string; onQuery: Props['onQuery'] }) {
  const [all, setAll] = useState(false)
  if (found.length === 0) return null
  const chosen = found.filter(({ value }) => choiceOf(query, field, value) !== null)
  const listed = found.filter((one, index) => index < (all ? MANY : FEW) || chosen.includes(one))
  const rest = found.length - listed.length

  return (
    <section aria-label={LABELS[field]}>
      <h3>{LABELS[field]}</h3>
      <ul>
        {listed.map(({ value, count }) => (
          <li key={value}>
            <Value
              label={field === 'client' ? whoText(value, 40) : showUntrusted(value, 60)}
              count={count}
              choice={choiceOf(query, field, value)}
              onChoice={(choice) => onQuery(choose(query, field, value, choice))}
            />
          </li>
        ))}
      </ul>
      {!all && rest > 0 && (
        <button type="button" className={css.more} onClick={() => setAll(true)}>
          {rest} more
        </button>
      )}
      {all && rest > 0 && (
        <p className={css.rest}>
          and {counts.format(rest)} more: type <code>{field}:</code> to find them
        </p>
      )}
    </section>
  )
}

interface ValueProps {
  label: string
  count: number
  choice: Choice
  onChoice: (choice: Choice) => void
}

function Value({ label, count, choice, onChoice }: ValueProps) {
  const toggle = (wanted: Exclude<Choice, null>) => onChoice(choice === wanted ? null : wanted)

  function keyDown(event: KeyboardEvent): void {
    if (event.key !== 'x' || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    event.stopPropagation()
    toggle('not')
  }

  const state = choice === null ? '' : choice === 'only' ? ', asked for' : ', left out'
  return (
    <div className={css.value} data-choice={choice ?? undefined} onKeyDown={keyDown}>
      <button
        type="button"
        className={css.only}
        aria-pressed={choice === 'only'}
        aria-label={`${label}, ${counts.format(count)}${state}`}
        title={`${label}: click for these alone, Alt+click to leave them out`}
        onClick={(event: MouseEvent) => (choice === 'not' ? onChoice(null) : toggle(event.altKey ? 'not' : 'only'))}
      >
        <bdi>{label}</bdi>
        <span className={css.count}>{counts.format(count)}</span>
      </button>
      <button
        type="button"
        className={css.not}
        aria-pressed={choice === 'not'}
        aria-label={`Leave out ${label}`}
        title="Leave out (x)"
        onClick={() => toggle('not')}
      >
        −
      </button>
    </div>
  )
}
