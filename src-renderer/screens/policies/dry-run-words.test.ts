import { expect, test } from 'vitest'
import { changeText, dryRunLine } from './dry-run-words.ts'

const base = { client: 'claude', calls: 14, secrets: ['prod/db'], more: 2 }

test.each([
  ['allow', 'deny', 'would have denied 14 calls from Claude (prod/db and 2 more)'],
  ['ask', 'deny', 'would have denied 14 calls from Claude (prod/db and 2 more)'],
  ['allow', 'ask', 'would have asked you about 14 calls from Claude (prod/db and 2 more)'],
  ['deny', 'ask', 'would have asked you about 14 calls from Claude instead of denying (prod/db and 2 more)'],
  ['ask', 'allow', 'would have allowed 14 calls from Claude without asking (prod/db and 2 more)'],
  ['deny', 'allow', 'would have allowed 14 calls from Claude instead of denying (prod/db and 2 more)'],
] as const)('from %s to %s reads "%s"', (was, now, text) => {
  expect(changeText({ ...base, was, now }, 'Claude')).toBe(text)
})

test('a single call is one', () => {
  expect(changeText({ ...base, calls: 1, more: 0, was: 'allow', now: 'deny' }, 'Claude')).toBe(
    'would have denied 1 call from Claude (prod/db)',
  )
})

test('one line tells what would have been different', () => {
  const changes = [
    { ...base, was: 'allow', now: 'deny' },
    { ...base, client: 'cursor', calls: 2, was: 'ask', now: 'deny' },
    { ...base, calls: 1, was: 'allow', now: 'ask' },
  ] as const
  expect(dryRunLine({ from: 0, calls: 40, changes: [...changes] })).toBe('Of 40 calls in 7 days, as edited: 16 denied, 1 asked about.')
  expect(dryRunLine({ from: 0, calls: 40, changes: [] })).toBe('In the last 7 days nothing would have been different.')
})
