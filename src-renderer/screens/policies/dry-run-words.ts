// What a dry run found, as the end of the sentence "This policy …".

import type { DryRunChange } from '../../../src-shared/dry-run.ts'

/** `client` must be fit to be shown. */
export function changeText(change: DryRunChange, client: string): string {
  const calls = `${change.calls} ${change.calls === 1 ? 'call' : 'calls'} from ${client}`
  return `${does(change, calls)} (${names(change)})`
}

function does({ was, now }: DryRunChange, calls: string): string {
  switch (now) {
    case 'deny':
      return `would have denied ${calls}`
    case 'ask':
      return was === 'deny' ? `would have asked you about ${calls} instead of denying` : `would have asked you about ${calls}`
    case 'allow':
      return was === 'deny' ? `would have allowed ${calls} instead of denying` : `would have allowed ${calls} without asking`
  }
}

function names({ secrets, more }: DryRunChange): string {
  return more === 0 ? secrets.join(', ') : `${secrets.join(', ')} and ${more} more`
}
