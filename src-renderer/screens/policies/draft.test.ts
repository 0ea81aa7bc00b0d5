import { expect, test } from 'vitest'
import { DEFAULT_POLICY } from '../../../src-shared/policy.ts'
import { draftOf, isSame, policyNameFault, withDraft } from './draft.ts'

test('a rule that another screen proposes is in the address', () => {
  const proposed = { policy: 'work', list: 'deny', pattern: 'prod/*' }
  const draft = draftOf(new URLSearchParams({ draft: JSON.stringify(proposed) }))
  expect(draft).toEqual(proposed)
  expect(withDraft({ ...DEFAULT_POLICY, name: 'work' }, draft).deny).toEqual(['prod/*'])
  expect(withDraft(DEFAULT_POLICY, draft)).toBe(DEFAULT_POLICY)
})

test('a rule that is there already is not added twice', () => {
  const draft = { policy: 'default', list: 'allow', pattern: '*' } as const
  expect(withDraft(DEFAULT_POLICY, draft)).toBe(DEFAULT_POLICY)
})

test.each([
  '',
  '{',
  'null',
  '"x"',
  '{"policy":"a","list":"both","pattern":"x"}',
  '{"policy":"a","list":"deny","pattern":""}',
  '{"policy":1,"list":"deny","pattern":"x"}',
])('%j proposes nothing', (draft) => {
  expect(draftOf(new URLSearchParams({ draft }))).toBeNull()
})

test('policies are the same when every part is', () => {
  expect(isSame(DEFAULT_POLICY, structuredClone(DEFAULT_POLICY))).toBe(true)
  expect(isSame(DEFAULT_POLICY, { ...DEFAULT_POLICY, reads: 'ask' })).toBe(false)
})

test('a name is one that can be typed and is free', () => {
  expect(policyNameFault('work', ['default'])).toBeNull()
  expect(policyNameFault('default', ['default'])).toContain('There is a policy')
  expect(policyNameFault('a b', [])).toContain('1 to 64')
})
