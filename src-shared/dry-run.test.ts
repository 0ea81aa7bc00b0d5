import { expect, test } from 'vitest'
import { dryRun, type PastCalls } from './dry-run.ts'
import type { Grant } from './grant.ts'
import { DEFAULT_POLICY, type Policy } from './policy.ts'

const saved: Policy = { ...DEFAULT_POLICY, reads: 'always' }
const past = (changes: Partial<PastCalls> = {}): PastCalls => ({
  client: 'claude',
  tool: 'get_secret',
  secret: 'prod/db',
  granted: false,
  calls: 1,
  ...changes,
})
const run = (calls: PastCalls[], edited: Partial<Policy>, before: Policy | null = saved, grants: Grant[] = []) =>
  dryRun(calls, { saved: before, edited: { ...saved, ...edited }, grants, mono: 0 })

test('calls that a new deny would have refused are counted by client', () => {
  const calls = [past({ calls: 12 }), past({ secret: 'prod/api', calls: 2 }), past({ secret: 'dev/a' }), past({ client: 'cursor' })]
  expect(run(calls, { deny: ['prod/*'] })).toEqual({
    calls: 16,
    changes: [
      { client: 'claude', was: 'allow', now: 'deny', calls: 14, secrets: ['prod/db', 'prod/api'], more: 0 },
      { client: 'cursor', was: 'allow', now: 'deny', calls: 1, secrets: ['prod/db'], more: 0 },
    ],
  })
})

test('an edit that changes nothing says so', () => {
  expect(run([past(), past({ tool: 'store_secret' })], { deny: ['nothing/here'] })).toEqual({ calls: 2, changes: [] })
})

test('writes are asked about whatever the reads are', () => {
  const { changes } = run([past({ tool: 'store_secret' }), past({ tool: 'remove_secret' })], { reads: 'never' })
  expect(changes).toEqual([])
})

test('a read that a grant let through counts as remembered under first, and is asked about under ask', () => {
  const first: Policy = { ...saved, reads: 'first' }
  expect(run([past({ granted: true })], { reads: 'first', deny: ['x'] }, first).changes).toEqual([])
  expect(run([past({ granted: true })], { reads: 'ask' }, first).changes).toMatchObject([{ was: 'allow', now: 'ask' }])
})

test('grants of today count', () => {
  const grant: Grant = {
    id: 'g',
    clientId: 'claude',
    since: 0,
    end: { kind: 'always' },
    covers: 'reads',
    name: 'prod/db',
    program: '/opt/claude',
  }
  expect(run([past()], { reads: 'first' }, saved, [grant]).changes).toEqual([])
  expect(run([past()], { reads: 'first' }, saved).changes).toMatchObject([{ was: 'allow', now: 'ask' }])
})

test('without a policy of ours everything was refused', () => {
  expect(run([past()], {}, null).changes).toMatchObject([{ was: 'deny', now: 'allow' }])
})

test('calls that touch no secret are left out', () => {
  expect(run([past({ tool: 'list_secrets' }), past({ tool: 'test_policy' }), past({ tool: 'nonsense' })], { allow: [] }).calls).toBe(0)
})

test('only a few of many names are spelled out', () => {
  const many = Array.from({ length: 8 }, (_, index) => past({ secret: `prod/${index}`, calls: index + 1 }))
  expect(run(many, { allow: [] }).changes).toMatchObject([{ secrets: ['prod/7', 'prod/6', 'prod/5', 'prod/4', 'prod/3'], more: 3 }])
})
