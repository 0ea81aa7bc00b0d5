import { within } from '../../../src-shared/query-edits.ts'
import { navigate } from '../../frame/route.ts'
import { Empty } from '../../ui/screen.tsx'
import css from './nothing.module.css'

export function NothingFound({ query, onQuery }: { query: string; onQuery: (query: string) => void }) {
  const anyTime = within(query, null)
  return (
    <div className={css.found}>
      <Empty
        title="Nothing matches"
        action={
          <>
            {anyTime !== query && anyTime !== '' && (
              <button type="button" onClick={() => onQuery(anyTime)}>
                Look at all of the time
              </button>
            )}
            <button type="button" onClick={() => onQuery('')}>
              Show everything
            </button>
          </>
        }
      >
        No entry of the log is what this asks for. New ones that are will appear here by themselves.
      </Empty>
    </div>
  )
}

export function NothingYet() {
  return (
    <div className={css.yet}>
      <p>
        <strong>No calls yet.</strong> Every call of an AI client will appear here, whatever its end. Connect one, or run{' '}
        <code>countersign list</code> in a terminal to see the first.
      </p>
      <button type="button" onClick={() => navigate('clients')}>
        Connect a client
      </button>
    </div>
  )
}
