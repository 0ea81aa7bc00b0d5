// What a dry run found, as the end of the sentence "This policy …".

import type { DryRun, DryRunChange } from '../../../src-shared/dry-run.ts'

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

/** All of it in one line. */
export function dryRunLine({ calls, changes }: DryRun): string {
  const count = (now: DryRunChange['now']) => changes.filter((change) => change.now === now).reduce((sum, change) => sum + change.calls, 0)
  const parts = [
    { number: count('deny'), text: 'denied' },
    { number: count('ask'), text: 'asked about' },
    { number: count('allow'), text: 'allowed' },
  ].filter(({ number }) => number > 0)
  if (parts.length === 0) return 'In the last 7 days nothing would have been different.'
  return `Of ${calls} ${calls === 1 ? 'call' : 'calls'} in 7 days, as edited: ${parts.map(({ number, text }) => `${number} ${text}`).join(', ')}.`
}
