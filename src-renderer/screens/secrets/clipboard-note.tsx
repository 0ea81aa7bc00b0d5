import { useSyncExternalStore } from 'react'
import { countdown, useNow } from '../../ui/time.ts'
import { Untrusted } from '../../ui/untrusted.tsx'
import { useAction } from '../../ui/use-action.ts'
import { browserClipboard, CLEAR_AFTER_MS } from './clipboard.ts'
import css from './clipboard-note.module.css'

/** What has become of the secret on the clipboard. */
export function ClipboardNote() {
  const held = useSyncExternalStore(browserClipboard.onState, browserClipboard.state)
  const now = useNow(1000)
  const action = useAction()
  const clear = (
    <button type="button" onClick={() => void action.run(browserClipboard.clear)}>
      Clear now
    </button>
  )
  switch (held.is) {
    case 'nothing':
      return null
    case 'held':
      return (
        <p className={css.note}>
          <span>
            <Untrusted text={held.name} /> is on the clipboard
            {held.until > now
              ? `, and is taken off in ${countdown(Math.min(CLEAR_AFTER_MS, held.until - now))}.`
              : ', and is taken off when you come back to this page.'}
          </span>
          {clear}
        </p>
      )
    case 'cleared':
      return (
        <p className={css.note} role="status">
          The clipboard is cleared.
        </p>
      )
    case 'gone':
      return null
    case 'unknown':
      return (
        <p className={css.note} role="alert">
          <span>
            The browser does not let this page look at the clipboard, so <Untrusted text={held.name} /> may still be there.
          </span>
          {clear}
        </p>
      )
  }
}
