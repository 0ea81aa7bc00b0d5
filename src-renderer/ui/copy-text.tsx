import { useState } from 'react'
import { useHostData, useLink } from '../link/use-host.ts'
import { useAction } from './use-action.ts'
import css from './copy-text.module.css'

const NEVER = [] as const

/** Text to take elsewhere. Not for secrets: it stays on the clipboard. */
export function CopyText({ text, label }: { text: string; label: string }) {
  const link = useLink()
  const action = useAction()
  const shell = useHostData('shell.state', {}, NEVER).data
  const [copied, setCopied] = useState(false)

  async function copy(): Promise<void> {
    setCopied(
      await action.run(async () => {
        if (shell?.clipboard === true) await link.call('shell.copy', { text })
        else await navigator.clipboard.writeText(text)
      }),
    )
  }

  return (
    <div className={css.copy}>
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
      <button type="button" aria-label={`Copy: ${label}`} onClick={() => void copy()}>
        {copied ? 'Copied' : 'Copy'}
      </button>
      {action.error !== null && <p className="fault">{action.error}</p>}
    </div>
  )
}
