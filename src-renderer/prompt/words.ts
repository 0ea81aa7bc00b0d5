// How a request reads to the person who is asked.

import type { ApprovalView } from '../../src-shared/approval.ts'
import type { Remember } from '../../src-shared/grant.ts'

/** What the client wants, between its name and the secret's: "Cursor *wants to store* github/token". */
export function wants(tool: string): string {
  switch (tool) {
    case 'get_secret':
      return 'wants to read'
    case 'store_secret':
      return 'wants to store'
    case 'remove_secret':
      return 'wants to remove'
    case 'export_backup':
      return 'wants to export every secret into a backup file'
    case 'import_backup':
      return 'wants to import a backup file'
    case 'add_client':
      return 'wants to register Countersign with'
    case 'repair_client':
      return 'wants to repair the entry of Countersign in'
    case 'remove_client':
      return 'wants to remove Countersign from'
    case 'add_token':
      return 'wants to make an access token for'
    case 'rotate_token':
      return 'wants to replace the access token of'
    case 'revoke_token':
      return 'wants to revoke the access token of'
    case 'practice':
      return 'wants to see how you answer'
    default:
      return `wants to call ${tool}`
  }
}

/** How long the token that is asked for would be good; empty for one that is taken away. */
export function tokenTime({ token }: Pick<ApprovalView, 'token'>): string {
  const days = token?.days
  if (days === undefined) return ''
  if (days === null) return 'The token has no end: it works until you revoke it.'
  if (days === 'same') return 'The token works for as long as the one before was made for.'
  return `The token ends ${days === 1 ? 'a day' : `${days} days`} after it is made.`
}

/** What is behind a standing other than *verified*, as a warning; null when there is nothing to warn about. */
export function warning(view: Pick<ApprovalView, 'standing'>): string | null {
  switch (view.standing) {
    case 'verified':
      return null
    case 'new program':
      return 'New program: nothing from it has been allowed under this registration before.'
    case 'unverified':
      return 'Unverified: this caller is not registered. Anything on this computer could be asking.'
  }
}

export const REMEMBER_LABELS: Record<Remember, string> = {
  once: 'Just this once',
  '15m': '15 minutes',
  lock: 'Until I lock',
  always: 'Always',
}

/** The grant that a choice makes, in a sentence. `client` and `secret` must be fit to be shown. */
export function grantSentence(remember: Remember, client: string, secret: string): string {
  switch (remember) {
    case 'once':
      return `${client} may read ${secret} this one time. It asks again next time.`
    case '15m':
      return `${client} may read ${secret} without asking for 15 minutes.`
    case 'lock':
      return `${client} may read ${secret} without asking until the screen is locked.`
    case 'always':
      return `${client} may read ${secret} without asking until you revoke it.`
  }
}
