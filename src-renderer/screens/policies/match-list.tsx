import css from './match-list.module.css'
import { matchesText, type Matches } from './matches.ts'

const SHOWN = 40

/** What the clients of this policy would see of the secrets there are now. */
export function MatchList({ matches, total }: { matches: Matches; total: number }) {
  const { visible, denied, outside } = matches
  const rest = visible.length + denied.length - SHOWN
  return (
    <section className={css.matches}>
      <h4>
        <span role="status">{matchesText(matches)}</span>
      </h4>
      {total === 0 ? (
        <p className="soft">Matching names will be listed here as soon as there are secrets.</p>
      ) : (
        <>
          <ul tabIndex={0} aria-label="Matching names">
            {denied.slice(0, SHOWN).map(({ name, by }) => (
              <li key={name} className={css.denied}>
                <span aria-hidden="true">✕</span> <s>{name}</s> <span className="soft">denied by {by}</span>
              </li>
            ))}
            {visible.slice(0, Math.max(0, SHOWN - denied.length)).map((name) => (
              <li key={name}>
                <span aria-hidden="true">✓</span> {name}
              </li>
            ))}
          </ul>
          {rest > 0 && <p className="soft">and {rest} more</p>}
          {outside > 0 && <p className="soft">{outside} outside this policy</p>}
        </>
      )}
    </section>
  )
}
