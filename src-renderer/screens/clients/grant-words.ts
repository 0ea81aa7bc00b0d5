import type { Grant } from '../../../src-shared/grant.ts'
import { countdown } from '../../ui/time.ts'

/** What a grant lets through, before the secret's name. */
export function grantText(grant: Grant): string {
  return grant.covers === 'reads' ? 'reads' : `may repeat ${grant.tool} once:`
}

const MINUTE = 60_000

export function grantLeft({ end }: Grant, now: number): string {
  switch (end.kind) {
    case 'always':
      return 'always'
    case 'lock':
      return 'until you lock'
    case 'time': {
      const left = end.wall - now
      return left > 2 * MINUTE ? `${Math.ceil(left / MINUTE)} min left` : `${countdown(left)} left`
    }
  }
}

/** The host drops it on its own clock; here it merely leaves the screen. */
export function isOver({ end }: Grant, now: number): boolean {
  return end.kind === 'time' && end.wall <= now
}
