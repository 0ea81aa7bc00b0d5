import { useId, useState } from 'react'
import { Confirm } from '../../ui/dialog.tsx'
import { Setting } from './setting.tsx'

const CHOICES = [30, 90, 180, 365, 730]

interface Props {
  /** Null keeps everything. */
  days: number | null
  save: (days: number | null) => Promise<boolean>
}

/** Keeping less removes what is older for good, so that is asked about. */
export function Retention({ days, save }: Props) {
  const id = useId()
  const [asked, setAsked] = useState<number | null>(null)
  const choices = days === null || CHOICES.includes(days) ? CHOICES : [...CHOICES, days].toSorted((a, b) => a - b)

  function chosen(value: string): void {
    const next = value === '' ? null : Number(value)
    if (next === null || (days !== null && next > days)) void save(next)
    else if (next !== days) setAsked(next)
  }

  return (
    <Setting label="Entries are kept" help="What is older is removed from the front of the log, and the log says so." htmlFor={id}>
      <select id={id} value={days ?? ''} aria-describedby={`${id}-help`} onChange={(event) => chosen(event.target.value)}>
        <option value="">for ever</option>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice} days
          </option>
        ))}
      </select>
      {asked !== null && (
        <Confirm
          title={`Keep entries for ${asked} days only?`}
          verb="Remove older entries"
          busy={false}
          error={null}
          onClose={() => setAsked(null)}
          onConfirm={() => {
            setAsked(null)
            void save(asked)
          }}
        >
          <p>
            Entries that are older than {asked} days are removed for good within the hour, and every day from then on. Export them first if
            you may need them.
          </p>
        </Confirm>
      )}
    </Setting>
  )
}
