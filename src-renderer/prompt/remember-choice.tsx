import { useId } from 'react'
import { REMEMBER_CHOICES, type Remember } from '../../src-shared/grant.ts'
import css from './remember-choice.module.css'
import { grantSentence, REMEMBER_LABELS } from './words.ts'

interface Props {
  value: Remember
  onChange: (choice: Remember) => void
  /** Both fit to be shown. */
  client: string
  secret: string
}

/** For reads under *first* alone. A sentence restates what the choice grants. */
export function RememberChoice({ value, onChange, client, secret }: Props) {
  const name = useId()
  return (
    <fieldset className={css.choice}>
      <legend>If you allow it, remember</legend>
      {REMEMBER_CHOICES.map((choice) => (
        <label key={choice}>
          <input type="radio" name={name} checked={value === choice} onChange={() => onChange(choice)} />
          {REMEMBER_LABELS[choice]}
        </label>
      ))}
      <p role="status">{grantSentence(value, client, secret)}</p>
    </fieldset>
  )
}
