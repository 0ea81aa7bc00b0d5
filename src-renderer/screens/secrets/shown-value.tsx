import { useEffect, useEffectEvent, useState } from 'react'
import type { SecretInfo } from '../../../src-shared/secret.ts'
import { showLines } from '../../../src-shared/untrusted.ts'
import { useHostData, useLink } from '../../link/use-host.ts'
import { countdown } from '../../ui/time.ts'
import { useAction } from '../../ui/use-action.ts'
import { browserClipboard } from './clipboard.ts'
import css from './shown-value.module.css'

const HIDE_AFTER_S = 30
const NEVER = [] as const

/** Masked with one length whatever the value's is. Showing and copying are asked for, and recorded. */
export function ShownValue({ secret }: { secret: SecretInfo }) {
  const link = useLink()
  const action = useAction()
  const shell = useHostData('shell.state', {}, NEVER).data
  const [value, setValue] = useState<string | null>(null)
  const [copied, setCopied] = useState(false)

  async function toggle(): Promise<void> {
    if (value !== null) return setValue(null)
    await action.run(async () => setValue((await link.call('secrets.reveal', { name: secret.name, purpose: 'show' })).value))
  }

  async function copy(): Promise<void> {
    setCopied(false)
    const done = await action.run(async () => {
      if (shell?.clipboard === true) await link.call('secrets.copy', { name: secret.name })
      else await browserClipboard.put(secret.name, (await link.call('secrets.reveal', { name: secret.name, purpose: 'copy' })).value)
    })
    setCopied(done)
  }

  return (
    <section className={css.value} aria-label="Value">
      {value === null ? (
        <span className={css.mask} aria-label="hidden">
          ••••••••••••
        </span>
      ) : (
        <pre tabIndex={0} aria-label={`The value of ${secret.name}`}>
          {showLines(value)}
        </pre>
      )}
      <div>
        <button type="button" aria-pressed={value !== null} disabled={action.busy} onClick={() => void toggle()}>
          {value === null ? 'Show' : 'Hide'}
        </button>
        <button type="button" disabled={action.busy} onClick={() => void copy()}>
          Copy
        </button>
        <span className="soft" role="status">
          {value !== null && <Hiding hide={() => setValue(null)} />}
          {value === null && copied && shell?.clipboard === true && 'Copied; the clipboard is cleared in 30 s.'}
          {value === null && copied && shell?.clipboard !== true && 'Copied.'}
        </span>
      </div>
      {action.error !== null && (
        <p role="alert" className="fault">
          {action.error}
        </p>
      )}
    </section>
  )
}

/** How long there is left to look. It ends early when the page is put away. */
function Hiding({ hide }: { hide: () => void }) {
  const [left, setLeft] = useState(HIDE_AFTER_S)
  const end = useEffectEvent(hide)
  useEffect(() => {
    const until = performance.now() + HIDE_AFTER_S * 1000
    const timer = setInterval(() => {
      const seconds = Math.ceil((until - performance.now()) / 1000)
      if (seconds <= 0) end()
      else setLeft(seconds)
    }, 250)
    const away = () => {
      if (document.visibilityState === 'hidden') end()
    }
    document.addEventListener('visibilitychange', away)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', away)
    }
  }, [])
  return `hides in ${countdown(left * 1000)}`
}
