import css from './policy-field.module.css'

interface Props {
  policies: readonly string[]
  chosen: string
  choose: (policy: string) => void
}

/** Which policy a client that is about to be registered is bound to. */
export function PolicyField({ policies, chosen, choose }: Props) {
  return (
    <label className={css.field}>
      Policy
      <select value={chosen} onChange={(event) => choose(event.target.value)}>
        {policies.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  )
}
