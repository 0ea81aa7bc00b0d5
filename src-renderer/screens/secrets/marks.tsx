import type { SecretInfo } from '../../../src-shared/secret.ts'
import { showUntrusted } from '../../../src-shared/untrusted.ts'
import { Badge } from '../../ui/badge.tsx'
import { absolute, ahead, ago } from '../../ui/time.ts'
import { expiryState } from './fields.ts'
import css from './marks.module.css'

export function StateBadge({ state }: { state: SecretInfo['state'] }) {
  switch (state) {
    case 'ok':
      return null
    case 'missing':
      return <Badge tone="bad">! missing</Badge>
    case 'changed outside':
      return <Badge tone="bad">! changed outside</Badge>
  }
}

export function Expiry({ expires, now }: { expires: number | null; now: number }) {
  switch (expiryState(expires, now)) {
    case 'none':
      return <span className="soft">–</span>
    case 'past':
      return (
        <Badge tone="bad" title={absolute(expires ?? 0)}>
          ! {ago(expires ?? 0, now)}
        </Badge>
      )
    case 'soon':
      return (
        <Badge tone="warn" title={absolute(expires ?? 0)}>
          ◔ {ahead(expires ?? 0, now)}
        </Badge>
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
        <Badge key={tag} tone="quiet">
          {showUntrusted(tag, 24)}
        </Badge>
      ))}
      {tags.length > most && <span className="soft">+{tags.length - most}</span>}
    </span>
  )
}
