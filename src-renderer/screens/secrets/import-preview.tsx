import { useEffect, useId, useMemo, useState } from 'react'
import type { DotenvEntry } from '../../../src-shared/dotenv.ts'
import type { ImportState, SecretInfo } from '../../../src-shared/secret.ts'
import { sentence } from '../../link/host-link.ts'
import { useLink } from '../../link/use-host.ts'
import { DialogButtons } from '../../ui/dialog.tsx'
import { inPieces, plan, type Planned } from './import-plan.ts'
import css from './import-preview.module.css'

interface Props {
  entries: readonly DotenvEntry[]
  secrets: readonly SecretInfo[]
  onClose: () => void
  back: () => void
}

/** How far the import has come. */
type Progress =
  | { is: 'asking' }
  | { is: 'storing'; done: number; of: number }
  | { is: 'done'; text: string }
  | { is: 'failed'; text: string }

/** What each entry would do, told by the host without any value coming back; then, on request, it does it. */
export function ImportPreview({ entries, secrets, onClose, back }: Props) {
  const id = useId()
  const link = useLink()
  const [prefix, setPrefix] = useState('')
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [progress, setProgress] = useState<Progress>({ is: 'asking' })
  const planned = useMemo(() => plan(entries, prefix), [entries, prefix])
  const { states, error } = useComparison(planned)
  const wanted = planned.filter(({ key, name }) => isImportable(states.get(name)) && !left.has(key))

  async function store(): Promise<void> {
    let done = 0
    for (const { name, value } of wanted) {
      setProgress({ is: 'storing', done, of: wanted.length })
      const { tags = [], expires = null } = secrets.find((secret) => secret.name === name) ?? {}
      try {
        await link.call('secrets.store', { name, value, force: states.get(name) === 'changed', tags, expires })
      } catch (failure) {
        const rest = `${done} of ${wanted.length} were stored before; the others were not.`
        return setProgress({ is: 'failed', text: `${name} could not be stored: ${sentence(failure)} ${rest}` })
      }
      done++
    }
    setProgress({ is: 'done', text: `${done} ${done === 1 ? 'secret' : 'secrets'} stored.` })
  }

  const toggle = (key: string) => setLeft(left.has(key) ? new Set([...left].filter((other) => other !== key)) : new Set([...left, key]))
  const over = progress.is === 'done' || progress.is === 'failed'

  return (
    <div className={css.preview}>
      <div className={css.prefix}>
        <label htmlFor={id}>Put before every name</label>
        <input
          id={id}
          value={prefix}
          maxLength={64}
          placeholder="my-app/"
          spellCheck={false}
          disabled={progress.is !== 'asking'}
          onChange={(event) => setPrefix(event.target.value)}
        />
        <p className="soft">{summary(planned, states)}</p>
      </div>
      <div className={css.frame} tabIndex={0} role="region" aria-label="Entries">
        <table>
          <thead>
            <tr>
              <th scope="col">
                <span className="unseen">Import it</span>
              </th>
              <th scope="col">Secret</th>
              <th scope="col">Does</th>
            </tr>
          </thead>
          <tbody>
            {planned.map(({ key, name, fault, line }) => (
              <tr key={key}>
                <td>
                  <input
                    type="checkbox"
                    aria-label={`Import ${name}`}
                    checked={isImportable(states.get(name)) && fault === null && !left.has(key)}
                    disabled={!isImportable(states.get(name)) || fault !== null || progress.is !== 'asking'}
                    onChange={() => toggle(key)}
                  />
                </td>
                <td title={`${key}, line ${line}`}>
                  <code>{name === '' ? key : name}</code>
                </td>
                <td>
                  <Does state={states.get(name)} fault={fault} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p role="status">
        {progress.is === 'storing' && `Storing ${progress.done + 1} of ${progress.of}…`}
        {progress.is === 'done' && progress.text}
      </p>
      {(error !== null || progress.is === 'failed') && (
        <p role="alert" className="fault">
          {progress.is === 'failed' ? progress.text : error}
        </p>
      )}
      <DialogButtons onCancel={onClose} cancel={over ? 'Close' : 'Cancel'}>
        {progress.is === 'asking' && (
          <>
            <button type="button" onClick={back}>
              Other text
            </button>
            <button type="button" className="primary" disabled={wanted.length === 0} onClick={() => void store()}>
              Import {wanted.length} {wanted.length === 1 ? 'secret' : 'secrets'}
            </button>
          </>
        )}
      </DialogButtons>
    </div>
  )
}

function isImportable(state: ImportState | undefined): boolean {
  return state === 'new' || state === 'changed'
}

interface Comparison {
  of: readonly Planned[]
  /** By name, for those that can come in. */
  states: ReadonlyMap<string, ImportState>
  error: string | null
}

const NOTHING: Comparison = { of: [], states: new Map(), error: null }
/** While a prefix is being typed. */
const PAUSE_MS = 150

/** `planned` must stay the same array as long as it says the same. */
function useComparison(planned: readonly Planned[]): Comparison {
  const link = useLink()
  const [held, setHeld] = useState(NOTHING)

  useEffect(() => {
    let over = false
    async function ask(): Promise<void> {
      const states = new Map<string, ImportState>()
      const entries = planned.filter(({ fault }) => fault === null).map(({ name, value }) => ({ name, value }))
      try {
        for (const piece of inPieces(entries)) {
          const answer = await link.call('secrets.compare', { entries: piece })
          for (const [index, state] of answer.states.entries()) states.set(piece[index]?.name ?? '', state)
        }
        if (!over) setHeld({ of: planned, states, error: null })
      } catch (failure) {
        if (!over) setHeld({ ...NOTHING, of: planned, error: sentence(failure) })
      }
    }
    const timer = setTimeout(() => void ask(), PAUSE_MS)
    return () => {
      over = true
      clearTimeout(timer)
    }
  }, [link, planned])

  return held.of === planned ? held : NOTHING
}

/** Word, glyph and tint together. */
function Does({ state, fault }: { state: ImportState | undefined; fault: string | null }) {
  if (fault !== null) return <span className={css.out}>– left out: {fault}</span>
  switch (state) {
    case undefined:
      return <span className="soft">…</span>
    case 'new':
      return <span className={css.new}>+ new</span>
    case 'changed':
      return <span className={css.changed}>≠ changed: stored as the next version</span>
    case 'same':
      return <span className={css.same}>= same</span>
  }
}

function summary(planned: readonly Planned[], states: ReadonlyMap<string, ImportState>): string {
  const fine = planned.filter(({ fault }) => fault === null)
  const count = (wanted: ImportState) => fine.filter(({ name }) => states.get(name) === wanted).length
  const out = planned.length - fine.length
  return `${count('new')} new, ${count('changed')} changed, ${count('same')} the same${out === 0 ? '' : `, ${out} left out`}`
}
