import { useId, useState } from 'react'
import { ALPHABETS, generate, LONGEST, SHORTEST, strength, type AlphabetName } from '../../../src-shared/generate.ts'
import css from './generator.module.css'

const NAMES = Object.keys(ALPHABETS) as AlphabetName[]

/** Hands a new value on without looking at it. */
export function Generator({ use }: { use: (value: string) => void }) {
  const id = useId()
  const [length, setLength] = useState(32)
  const [alphabet, setAlphabet] = useState<AlphabetName>('letters and digits')
  const usable = Number.isInteger(length) && length >= SHORTEST && length <= LONGEST
  return (
    <fieldset className={css.generator}>
      <legend className="unseen">Generate a value</legend>
      <label htmlFor={`${id}-length`}>Length</label>
      <input
        id={`${id}-length`}
        type="number"
        min={SHORTEST}
        max={LONGEST}
        value={Number.isNaN(length) ? '' : length}
        onChange={(event) => setLength(event.target.valueAsNumber)}
      />
      <label htmlFor={`${id}-alphabet`} className="unseen">
        Characters
      </label>
      <select id={`${id}-alphabet`} value={alphabet} onChange={(event) => setAlphabet(event.target.value as AlphabetName)}>
        {NAMES.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <button type="button" disabled={!usable} onClick={() => use(generate(length, alphabet, randomBytes))}>
        Generate
      </button>
      <span className="soft">{usable ? `${strength(length, alphabet)} bits` : `${SHORTEST} to ${LONGEST}`}</span>
    </fieldset>
  )
}

function randomBytes(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count))
}
