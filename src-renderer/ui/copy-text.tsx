import { useState } from 'react'
import { useLink } from '../link/use-host.ts'
import { copyText } from './copy.ts'
import { useAction } from './use-action.ts'
import css from './copy-text.module.css'

/** Text to take elsewhere. Not for secrets: it stays on the clipboard. */
export function CopyText({ text, label }: { text: string; label: string }) {
  const link = useLink()
  const action = useAction()
  const [copied, setCopied] = useState(false)

  async function copy(): Promise<void> {
    setCopied(await action.run(() => copyText(link, text)))
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
