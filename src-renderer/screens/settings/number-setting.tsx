import { useId, useState, type FormEvent } from 'react'
import css from './setting.module.css'
import { Setting } from './setting.tsx'

interface Props {
  label: string
  unit: string
  help: string
  min: number
  max: number
  value: number
  save: (value: number) => Promise<boolean>
}

/** Saved when it is left or on Enter, if it is a number it may be. */
export function NumberSetting({ label, unit, help, min, max, value, save }: Props) {
  const id = useId()
  const [typed, setTyped] = useState<string | null>(null)
  const [saved, setSaved] = useState(false)
  const number = typed === null ? value : Number(typed)
  const isFine = typed === null || (typed.trim() !== '' && Number.isInteger(number) && number >= min && number <= max)

  async function commit(event?: FormEvent): Promise<void> {
    event?.preventDefault()
    if (typed === null || !isFine) return
    if (number !== value) setSaved(await save(number))
    setTyped(null)
  }

  return (
    <Setting label={label} help={help} htmlFor={id}>
      <span role="status" className="soft">
        {saved && 'Saved'}
      </span>
      <form className={css.number} onSubmit={(event) => void commit(event)}>
        <input
          id={id}
          type="number"
          min={min}
          max={max}
          value={typed ?? value}
          aria-describedby={`${id}-help`}
          aria-invalid={!isFine}
          onChange={(event) => {
            setSaved(false)
            setTyped(event.target.value)
          }}
          onBlur={() => void commit()}
        />
        {unit !== '' && <span>{unit}</span>}
      </form>
      {!isFine && (
        <p role="alert" className="fault">
          A whole number from {min} to {max}.
        </p>
      )}
    </Setting>
  )
}
