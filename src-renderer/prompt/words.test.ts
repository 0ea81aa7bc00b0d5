import { expect, test } from 'vitest'
import { tokenTime } from './words.ts'

test('a question about a token says in words how long it will be good', () => {
  const timeOf = (days?: number | null | 'same') =>
    tokenTime({ token: { client: 'ci', policy: null, ...(days !== undefined && { days }) } })
  expect([timeOf(1), timeOf(30), timeOf(null), timeOf('same'), timeOf(), tokenTime({})]).toEqual([
    'The token ends a day after it is made.',
    'The token ends 30 days after it is made.',
    'The token has no end: it works until you revoke it.',
    'The token works for as long as the one before was made for.',
    '',
    '',
  ])
})
