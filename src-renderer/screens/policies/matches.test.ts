import { expect, test } from 'vitest'
import { DEFAULT_POLICY } from '../../../src-shared/policy.ts'
import { matchesOf, matchesText } from './matches.ts'

const names = ['prod/db', 'prod/api', 'dev/db', 'other']

test('names are visible, denied by a pattern, or outside', () => {
  const matches = matchesOf({ ...DEFAULT_POLICY, allow: ['prod/*', 'dev/*'], deny: ['*/db', 'oth*'] }, names)
  expect(matches).toEqual({
    visible: ['prod/api'],
    denied: [
      { name: 'prod/db', by: '*/db' },
      { name: 'dev/db', by: '*/db' },
    ],
    outside: 1,
  })
  expect(matchesText(matches)).toBe('1 secret, 2 denied')
})

test('reads that are never shown still show the name', () => {
  expect(matchesOf({ ...DEFAULT_POLICY, reads: 'never' }, names).visible).toEqual(names)
})

test('a policy that allows nothing says so', () => {
  expect(matchesText(matchesOf({ ...DEFAULT_POLICY, allow: [] }, names))).toBe('0 secrets')
})
