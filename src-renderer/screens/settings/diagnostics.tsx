import { useState } from 'react'
import { useLink } from '../../link/use-host.ts'
import { CopyText } from '../../ui/copy-text.tsx'
import { useAction } from '../../ui/use-action.ts'
import { Setting } from './setting.tsx'

/** Asked for anew each time, since it is a picture of one moment. */
export function Diagnostics() {
  const link = useLink()
  const action = useAction()
  const [text, setText] = useState<string | null>(null)
  return (
    <>
      <Setting label="For a bug report" help="Versions, states and counts as text. There are no names and no values in it.">
        <button
          type="button"
          disabled={action.busy}
          onClick={() => void action.run(async () => setText((await link.call('host.diagnostics', {})).text))}
        >
          {text === null ? 'Show' : 'Show anew'}
        </button>
      </Setting>
      {action.error !== null && (
        <p role="alert" className="fault">
          {action.error}
        </p>
      )}
      {text !== null && <CopyText label="Diagnostics" text={`${text}${navigator.userAgent}\n`} />}
    </>
  )
}
