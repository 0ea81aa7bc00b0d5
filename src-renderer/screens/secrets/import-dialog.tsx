import { useEffect, useId, useRef, useState, type ClipboardEvent } from 'react'
import { parseDotenv, type DotenvEntry, type DotenvFault } from '../../../src-shared/dotenv.ts'
import { utf8Bytes } from '../../../src-shared/names.ts'
import type { SecretInfo } from '../../../src-shared/secret.ts'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import css from './import-dialog.module.css'
import { MOST_BYTES, MOST_ENTRIES } from './import-plan.ts'
import { ImportPreview } from './import-preview.tsx'
import { ValueField } from './value-field.tsx'

interface Props {
  /** Dropped on the page. */
  file: File | null
  secrets: readonly SecretInfo[]
  onClose: () => void
}

type Read =
  | { is: 'waiting' }
  | { is: 'wrong'; faults: DotenvFault[] }
  | { is: 'refused'; why: string }
  | { is: 'read'; entries: DotenvEntry[] }

/** First the text, then what it would do. The whole of it is readable, or nothing of it comes in. */
export function ImportDialog({ file, secrets, onClose }: Props) {
  const id = useId()
  const text = useRef<HTMLTextAreaElement>(null)
  const [read, setRead] = useState<Read>({ is: 'waiting' })

  function take(source: string): void {
    const result = readSource(source)
    // What is wrong stays there to be corrected.
    if (text.current !== null) text.current.value = result.is === 'read' ? '' : source
    setRead(result)
  }

  useEffect(() => {
    if (file !== null) void readFile(file).then(setRead)
  }, [file])

  function pasted(event: ClipboardEvent): void {
    event.preventDefault()
    take(event.clipboardData.getData('text/plain'))
  }

  if (read.is === 'read') {
    return (
      <Dialog title="Import a .env" wide onClose={onClose}>
        <ImportPreview entries={read.entries} secrets={secrets} onClose={onClose} back={() => setRead({ is: 'waiting' })} />
      </Dialog>
    )
  }
  return (
    <Dialog title="Import a .env" wide onClose={onClose}>
      <div className={css.form} onPaste={pasted}>
        <p className="soft">
          Paste its text here, choose a file, or drop one on the page. You see what is new and what would change before anything is stored.
        </p>
        <ValueField field={text} label="Text" rows={5} placeholder={'DATABASE_URL=…\nGITHUB_TOKEN=…'} />
        <div className={css.file}>
          <label htmlFor={`${id}-file`}>Or a file</label>
          <input
            id={`${id}-file`}
            type="file"
            onChange={(event) => {
              const [chosen] = event.target.files ?? []
              if (chosen !== undefined) void readFile(chosen).then(setRead)
            }}
          />
        </div>
        {read.is === 'refused' && (
          <p role="alert" className="fault">
            {read.why}
          </p>
        )}
        {read.is === 'wrong' && <Faults faults={read.faults} />}
        <DialogButtons onCancel={onClose}>
          <button type="button" className="primary" onClick={() => take(text.current?.value ?? '')}>
            Preview
          </button>
        </DialogButtons>
      </div>
    </Dialog>
  )
}

const TOO_LONG: Read = { is: 'refused', why: 'This is longer than 1 MiB. Import it in parts.' }

async function readFile(file: File): Promise<Read> {
  if (file.size > MOST_BYTES) return TOO_LONG
  try {
    return readSource(new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer()))
  } catch {
    return { is: 'refused', why: 'This file cannot be read as text in UTF-8. Choose a .env file.' }
  }
}

function readSource(source: string): Read {
  if (utf8Bytes(source.toWellFormed()) > MOST_BYTES) return TOO_LONG
  const read = parseDotenv(source)
  if (!read.ok) return { is: 'wrong', faults: read.faults }
  if (read.entries.length === 0) return { is: 'refused', why: 'There is no entry in this text. An entry looks like NAME=value.' }
  if (read.entries.length > MOST_ENTRIES)
    return { is: 'refused', why: `There are more than ${MOST_ENTRIES} entries. Import them in parts.` }
  return { is: 'read', entries: read.entries }
}

function Faults({ faults }: { faults: readonly DotenvFault[] }) {
  return (
    <div role="alert" className={css.faults}>
      <p>Nothing was imported. Correct the text and try again:</p>
      <ul>
        {faults.map(({ line, message }) => (
          <li key={line}>
            Line {line}: {message}.
          </li>
        ))}
      </ul>
    </div>
  )
}
