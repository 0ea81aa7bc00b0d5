import { useId, useRef, useState, type ClipboardEvent, type KeyboardEvent } from 'react'
import { globFault } from '../../../src-shared/glob.ts'
import css from './pattern-list.module.css'

interface Props {
  label: string
  /** What it means that there is none. */
  empty: string
  patterns: readonly string[]
  onChange: (patterns: string[]) => void
}

/** One pattern per line; a line that is wrong says where. Enter adds, several lines can be pasted at once. */
export function PatternList({ label, empty, patterns, onChange }: Props) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState('')

  function add(text: string): void {
    const fresh = text.split(/\r?\n/).map((line) => line.trim())
    onChange([...new Set([...patterns, ...fresh.filter((line) => line !== '')])])
    setTyped('')
  }
  function remove(pattern: string): void {
    onChange(patterns.filter((other) => other !== pattern))
    input.current?.focus()
  }
  function keyed(event: KeyboardEvent): void {
    if (event.key === 'Enter') {
      // Not the form's: the policy is saved by its button.
      event.preventDefault()
      add(typed)
    } else if (event.key === 'Backspace' && typed === '') {
      const last = patterns.at(-1)
      if (last === undefined) return
      event.preventDefault()
      onChange(patterns.slice(0, -1))
      setTyped(last)
    }
  }
  function pasted(event: ClipboardEvent): void {
    const text = event.clipboardData.getData('text/plain')
    if (!/\n/.test(text)) return
    event.preventDefault()
    add(text)
  }

  const fault = typed === '' ? null : globFault(typed)
  return (
    <div role="group" aria-labelledby={`${id}-label`}>
      <span id={`${id}-label`} className={css.label}>
        {label}
      </span>
      <ul className={css.patterns}>
        {patterns.map((pattern) => (
          <Pattern key={pattern} pattern={pattern} label={label} remove={() => remove(pattern)} />
        ))}
        <li className={css.adding}>
          <input
            ref={input}
            value={typed}
            maxLength={256}
            placeholder={patterns.length === 0 ? 'prod/*' : 'Another pattern'}
            spellCheck={false}
            autoCapitalize="none"
            aria-label={`${label}: another pattern`}
            aria-describedby={`${id}-fault`}
            onChange={(event) => setTyped(event.target.value)}
            onKeyDown={keyed}
            onPaste={pasted}
            onBlur={() => add(typed)}
          />
        </li>
      </ul>
      <p id={`${id}-fault`} className="fault">
        {fault === null ? '' : `Position ${fault.position + 1}: ${fault.message}.`}
      </p>
      {patterns.length === 0 && typed === '' && <p className="soft">{empty}</p>}
    </div>
  )
}

function Pattern({ pattern, label, remove }: { pattern: string; label: string; remove: () => void }) {
  const fault = globFault(pattern)
  const chars = [...pattern]
  const at = fault?.position ?? -1
  return (
    <li className={fault === null ? css.pattern : css.faulty}>
      <code>
        {fault === null ? (
          pattern
        ) : (
          <>
            {chars.slice(0, at).join('')}
            <mark>{chars[at] ?? ' '}</mark>
            {chars.slice(at + 1).join('')}
          </>
        )}
      </code>
      <button type="button" className="plain" aria-label={`${label}: remove ${pattern}`} onClick={remove}>
        ✕
      </button>
      {fault !== null && (
        <span role="alert">
          position {fault.position + 1}: {fault.message}
        </span>
      )}
    </li>
  )
}
