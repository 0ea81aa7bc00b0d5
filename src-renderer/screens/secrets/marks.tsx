import type { SecretInfo } from '../../../src-shared/secret.ts'
import { showUntrusted } from '../../../src-shared/untrusted.ts'
import { absolute, ahead, ago } from '../../ui/time.ts'
import { expiryState } from './fields.ts'
import css from './marks.module.css'

/** Word, glyph and tint together: colour never speaks alone. */
export function StateBadge({ state }: { state: SecretInfo['state'] }) {
  switch (state) {
    case 'ok':
      return null
    case 'missing':
      return <span className={css.bad}>! missing</span>
    case 'changed outside':
      return <span className={css.bad}>! changed outside</span>
  }
}

export function Expiry({ expires, now }: { expires: number | null; now: number }) {
  switch (expiryState(expires, now)) {
    case 'none':
      return <span className="soft">–</span>
    case 'past':
      return (
        <span className={css.bad} title={absolute(expires ?? 0)}>
          ! {ago(expires ?? 0, now)}
        </span>
      )
    case 'soon':
      return (
        <span className={css.warn} title={absolute(expires ?? 0)}>
          ◔ {ahead(expires ?? 0, now)}
        </span>
      )
    case 'later':
      return <span title={absolute(expires ?? 0)}>{ahead(expires ?? 0, now)}</span>
  }
}

export function Tags({ tags, most = Infinity }: { tags: readonly string[]; most?: number }) {
  const shown = tags.slice(0, most)
  return (
    <span className={css.tags} title={tags.length > most ? tags.map((tag) => showUntrusted(tag, 64)).join(', ') : undefined}>
      {shown.map((tag) => (
        <span key={tag} className={css.tag}>
          {showUntrusted(tag, 24)}
        </span>
      ))}
      {tags.length > most && <span className="soft">+{tags.length - most}</span>}
    </span>
  )
}
