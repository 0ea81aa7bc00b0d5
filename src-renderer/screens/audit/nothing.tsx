import { within } from '../../../src-shared/query-edits.ts'
import { Empty } from '../../ui/screen.tsx'

export function NothingFound({ query, onQuery }: { query: string; onQuery: (query: string) => void }) {
  const anyTime = within(query, null)
  return (
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
  )
}

export function NothingYet() {
  return (
    <Empty title="No calls yet">
      Every call of an AI client will appear here, whatever its end. To see the first one, let a client start <code>countersign mcp</code>,
      or run <code>countersign list</code> in a terminal.
    </Empty>
  )
}
