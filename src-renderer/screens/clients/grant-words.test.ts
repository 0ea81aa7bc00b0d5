import { expect, test } from 'vitest'
import type { Grant, GrantEnd } from '../../../src-shared/grant.ts'
import { grantLeft, grantText, isOver } from './grant-words.ts'

const grant = (end: GrantEnd): Grant => ({ id: 'g', clientId: 'c', since: 0, end, covers: 'reads', name: 'a', program: '/opt/c' })
const timed = (wall: number) => grant({ kind: 'time', mono: 0, wall })

test.each<[Grant, string]>([
  [grant({ kind: 'always' }), 'always'],
  [grant({ kind: 'lock' }), 'until you lock'],
  [timed(15 * 60_000), '15 min left'],
  [timed(2.5 * 60_000), '3 min left'],
  [timed(95_000), '1:35 left'],
])('the time left is told in words', (one, text) => {
  expect(grantLeft(one, 0)).toBe(text)
})

test('a grant says what it covers', () => {
  expect(grantText(timed(1))).toBe('reads')
  const call: Grant = {
    id: 'g',
    clientId: 'c',
    since: 0,
    end: { kind: 'lock' },
    covers: 'call',
    tool: 'store_secret',
    name: 'a',
    digest: '',
    approvalId: '',
  }
  expect(grantText(call)).toBe('may repeat store_secret once:')
})

test('a grant whose time has come is over, others are not', () => {
  expect([isOver(timed(1), 1), isOver(timed(2), 1), isOver(grant({ kind: 'always' }), 1e15)]).toEqual([true, false, false])
})
