import { useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import type { ApprovalView } from '../../src-shared/approval.ts'
import type { Remember } from '../../src-shared/grant.ts'
import { showUntrusted } from '../../src-shared/untrusted.ts'
import { sentence } from '../link/host-link.ts'
import { useLink } from '../link/use-host.ts'
import { ago } from '../ui/time.ts'
import { ImportFacts } from '../ui/import-facts.tsx'
import { Untrusted } from '../ui/untrusted.tsx'
import css from './approval-card.module.css'
import { AnswerButton } from './answer-button.tsx'
import { Countdown } from './countdown.tsx'
import { MaskedValue } from './masked-value.tsx'
import { RememberChoice } from './remember-choice.tsx'
import { bringIntoView } from './sight.ts'
import { useGuard } from './use-guard.ts'
import { Who } from './who.tsx'
import { tokenTime, wants, warning } from './words.ts'

interface Props {
  view: ApprovalView
  /** The host's clock when `view` was true, and the page's monotonic clock then. */
  hostNow: number
  at: number
  isFirst: boolean
  /** "1 of 3" where there are several. */
  place: string | null
}

/** One question, with everything a person needs to answer it, and a guard against answers they did not mean. */
export function ApprovalCard({ view, hostNow, at, isFirst, place }: Props) {
  const link = useLink()
  const id = useId()
  const card = useRef<HTMLElement>(null)
  const { deny, isDenyOpen, allow, isAllowOpen, unseen } = useGuard(card, view, contentOf(view))
  const scrolled = useRef(false)
  const [remember, setRemember] = useState<Remember>('once')
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const mustKnow = warning(view)
  const subject = view.secret ?? (view.registration ?? view.token)?.client ?? null

  // The button that leads to what is out of sight goes with the last of it; the focus goes where nothing is dangerous.
  const isAllSeen = unseen === null
  useEffect(() => {
    if (isAllSeen && scrolled.current) card.current?.querySelector<HTMLElement>('[data-safe]')?.focus({ preventScroll: true })
    scrolled.current = false
  }, [isAllSeen])

  async function answer(choice: 'allow' | 'deny'): Promise<void> {
    if (busy) return
    setBusy(true)
    setError(null)
    try {
      const { done } = await link.call('approvals.answer', { id: view.id, revision: view.revision, answer: choice, remember })
      if (!done) setError('This request has changed or ended meanwhile, so the answer did not count.')
    } catch (failure) {
      setError(sentence(failure))
    }
    setBusy(false)
  }

  const struck = useEffectEvent((event: KeyboardEvent) => {
    const choice = choiceOf(event)
    const focused = document.activeElement
    const isMeant = card.current?.contains(focused) === true || (isFirst && focused === document.body)
    if (choice === null || !isMeant || event.defaultPrevented) return
    event.preventDefault()
    if ((choice === 'allow' ? allow : deny).struck(event)) void answer(choice)
  })
  useEffect(() => {
    document.addEventListener('keydown', struck)
    return () => document.removeEventListener('keydown', struck)
  }, [])

  return (
    <article ref={card} className={css.card} aria-labelledby={`${id}-title`}>
      <header>
        <h3 id={`${id}-title`} data-in-sight>
          <Untrusted text={view.clientName} /> {wants(showUntrusted(view.tool))}{' '}
          {subject !== null && (
            <code>
              <Untrusted text={subject} max={130} />
            </code>
          )}
        </h3>
        {view.count > 1 && <span title={`${view.count} equal calls ask this one question`}>× {view.count}</span>}
        {place !== null && <span>{place}</span>}
      </header>
      {mustKnow !== null && (
        <p className={css.warning} data-in-sight>
          {mustKnow}
        </p>
      )}
      <div className={css.facts} data-facts>
        {/* Among the facts, since it may be long; it has to be in view all the same. */}
        {view.warning !== null && (
          <p className={css.warning} data-in-sight>
            {showUntrusted(view.warning, 1000)}
          </p>
        )}
        <Effect view={view} now={hostNow} />
        <Who view={view} />
        {view.imports !== undefined && <ImportFacts plan={view.imports} />}
        {view.hasValue && <MaskedValue key={view.revision} approvalId={view.id} />}
        {view.mayRemember && view.secret !== null && (
          <RememberChoice
            value={remember}
            onChange={setRemember}
            client={showUntrusted(view.clientName)}
            secret={showUntrusted(view.secret, 130)}
          />
        )}
        {view.waiting === 0 && (
          <p className={css.note}>
            The client waits no more. If you allow it, nothing happens now: the same call, repeated within 2 minutes, goes through once.
          </p>
        )}
      </div>
      {error !== null && (
        <p role="alert" className={css.error}>
          {error}
        </p>
      )}
      {unseen !== null && (
        <button
          type="button"
          id={`${id}-why`}
          className={css.unseen}
          onClick={() => {
            scrolled.current = true
            bringIntoView(unseen)
          }}
        >
          Scroll to see the whole request <span aria-hidden="true">↓</span>
        </button>
      )}
      <footer>
        <Countdown lifetime={view.expires - view.opened} left={view.expires - hostNow} at={at} />
        <AnswerButton guard={deny} ready={isDenyOpen && !busy} safe onAnswer={() => void answer('deny')}>
          Deny <kbd>Esc</kbd>
        </AnswerButton>
        <AnswerButton
          guard={allow}
          ready={isAllowOpen && !busy}
          why={unseen === null ? undefined : `${id}-why`}
          onAnswer={() => void answer('allow')}
        >
          Allow <kbd>{isMac ? '⌘' : 'Ctrl'} ↩</kbd>
        </AnswerButton>
      </footer>
    </article>
  )
}

/** All that the card shows of a request. The number of those who wait says something only when it is none. */
function contentOf({ waiting, ...view }: ApprovalView): string {
  return JSON.stringify({ ...view, isAwaited: waiting > 0 })
}

const isMac = navigator.userAgent.includes('Mac')

function choiceOf(event: KeyboardEvent): 'allow' | 'deny' | null {
  if (event.isComposing || event.altKey || event.shiftKey) return null
  const modified = event.ctrlKey || event.metaKey
  if (event.key === 'Escape' && !modified) return 'deny'
  return event.key === 'Enter' && modified ? 'allow' : null
}

/** What an allow would change, and for whom. */
function Effect({ view, now }: { view: ApprovalView; now: number }) {
  const { replaces } = view
  if (replaces !== null) {
    return (
      <p className={css.effect}>
        {view.tool === 'remove_secret' ? 'Takes away' : 'Replaces'} version {replaces.version}, stored {ago(replaces.updated, now)} by{' '}
        <Untrusted text={replaces.storedBy} />
      </p>
    )
  }
  const opened = (view.registration ?? view.token)?.policy ?? null
  if (opened !== null) {
    return (
      <p className={css.effect}>
        Opens a way in for everything that the policy <Untrusted text={opened} /> allows. {tokenTime(view)}
      </p>
    )
  }
  if (view.token?.days !== undefined) return <p className={css.effect}>{tokenTime(view)}</p>
  const effect = EFFECTS[view.tool]
  if (effect === undefined) return null
  return (
    <p className={css.effect}>
      {effect} Its policy: <Untrusted text={view.policy} />
    </p>
  )
}

const EFFECTS: Partial<Record<string, string>> = {
  practice: 'Nothing is stored and nothing is shown, whatever you answer.',
  get_secret: 'The value becomes visible to this client and to the model behind it.',
  store_secret: 'A new secret, for this client and every other whose policy allows its name.',
}
