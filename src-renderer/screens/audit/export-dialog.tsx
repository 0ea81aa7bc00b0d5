import { useId, useRef, useState, type FormEvent } from 'react'
import { showUntrusted } from '../../../src-shared/untrusted.ts'
import { useHostData, useLink } from '../../link/use-host.ts'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { useAction } from '../../ui/use-action.ts'
import css from './export-dialog.module.css'
import type { AuditView } from './use-audit-view.ts'

const NO_EVENTS = [] as const
const FORMATS = [
  { format: 'jsonl', label: 'JSON Lines', text: 'one entry per line, for programs' },
  { format: 'csv', label: 'CSV', text: 'for spreadsheets' },
] as const
const counts = new Intl.NumberFormat('en')

/** The host writes the file itself, so that a million rows cross no window. */
export function ExportDialog({ view, onClose }: { view: AuditView; onClose: () => void }) {
  const link = useLink()
  const id = useId()
  const path = useRef<HTMLInputElement>(null)
  const action = useAction()
  const { data: shell } = useHostData('shell.state', {}, NO_EVENTS)
  const [format, setFormat] = useState<'jsonl' | 'csv'>('jsonl')
  const [done, setDone] = useState<{ rows: number; path: string } | null>(null)

  async function submitted(event: FormEvent): Promise<void> {
    event.preventDefault()
    const asked = path.current?.value.trim() ?? ''
    const where = asked === '' ? {} : { path: asked }
    await action.run(async () => setDone(await link.call('audit.export', { filter: view.filter, format, ...where })))
  }

  async function choose(): Promise<void> {
    await action.run(async () => {
      const chosen = await link.call('shell.chooseFile', { mode: 'save', suggested: `countersign-audit.${format}` })
      if (chosen.path !== null && path.current !== null) path.current.value = chosen.path
    })
  }

  return (
    <Dialog title="Export" onClose={onClose}>
      {done === null ? (
        <form className={css.form} onSubmit={(event) => void submitted(event)}>
          <p className="soft">
            {counts.format(view.totals.rows)} rows{view.query === '' ? ', everything in the log' : ', as filtered'}, oldest first. No value
            of a secret is in them.
          </p>
          <fieldset>
            <legend>Format</legend>
            {FORMATS.map((one) => (
              <label key={one.format}>
                <input type="radio" name={id} checked={format === one.format} onChange={() => setFormat(one.format)} />
                <span>
                  {one.label} <span className="soft">{one.text}</span>
                </span>
              </label>
            ))}
          </fieldset>
          <label htmlFor={`${id}-path`}>File</label>
          <div className={css.file}>
            <input ref={path} id={`${id}-path`} placeholder="In Downloads, under a name of its own" spellCheck={false} autoComplete="off" />
            {shell?.fileDialogs === true && (
              <button type="button" onClick={() => void choose()}>
                Choose…
              </button>
            )}
          </div>
          {action.error !== null && (
            <p role="alert" className="fault">
              {action.error}
            </p>
          )}
          <DialogButtons onCancel={onClose}>
            <button type="submit" className="primary" disabled={action.busy}>
              {action.busy ? 'Writing…' : 'Export'}
            </button>
          </DialogButtons>
        </form>
      ) : (
        <>
          <p role="status" className={css.done}>
            Wrote {counts.format(done.rows)} rows to <code>{showUntrusted(done.path, 500)}</code>
          </p>
          <DialogButtons onCancel={onClose} cancel="Close" />
        </>
      )}
    </Dialog>
  )
}
