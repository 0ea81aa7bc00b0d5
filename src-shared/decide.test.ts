import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decide, ended, ruleText, type Question, type Verdict } from './decide.ts'
import { matches } from './glob.ts'
import type { Grant, GrantEnd } from './grant.ts'
import { DEFAULT_POLICY, type Policy, type Reads } from './policy.ts'

const NOW = 1_000_000
const policy = (changes: Partial<Policy> = {}): Policy => ({ ...DEFAULT_POLICY, ...changes })
const question = (changes: Partial<Question & { secret: string }> = {}): Question => ({
  clientId: 'cursor',
  act: 'read',
  tool: 'get_secret',
  secret: 'prod/db',
  verified: '/opt/cursor',
  digest: 'digest-1',
  ...changes,
})
const always: GrantEnd = { kind: 'always' }
const readGrant = (end: GrantEnd = always): Grant => ({
  id: 'g1',
  clientId: 'cursor',
  since: 0,
  end,
  covers: 'reads',
  name: 'prod/db',
  program: '/opt/cursor',
})
const callGrant = (end: GrantEnd = { kind: 'time', mono: NOW + 120_000, wall: 0 }): Grant => ({
  id: 'g2',
  clientId: 'cursor',
  since: 0,
  end,
  covers: 'call',
  tool: 'store_secret',
  name: 'prod/db',
  digest: 'digest-1',
  approvalId: 'r1',
})
const ask = (of: Question, under: Policy | null, grants: Grant[] = []): Verdict => decide(of, under?.name ?? 'gone', under, grants, NOW)
const kind = (of: Question, under: Policy | null, grants: Grant[] = []) => ask(of, under, grants).kind

const arbitraryPattern = fc.constantFrom('*', 'prod/*', 'prod/db-*', 'dev/*', '?rod/db', '{prod,dev}/key', '[!p]*', 'prod/db')
const arbitraryName = fc.constantFrom('prod/db', 'prod/db-1', 'prod/key', 'dev/key', 'dev/db-2', 'other')
const arbitraryPolicy: fc.Arbitrary<Policy> = fc.record({
  name: fc.constant('p'),
  description: fc.constant(''),
  allow: fc.array(arbitraryPattern, { maxLength: 3 }),
  deny: fc.array(arbitraryPattern, { maxLength: 3 }),
  reads: fc.constantFrom<Reads>('always', 'first', 'ask', 'never'),
})
const arbitraryQuestion: fc.Arbitrary<Question & { secret: string }> = fc.record({
  clientId: fc.constantFrom('cursor', 'claude'),
  act: fc.constantFrom<Question['act']>('read', 'see', 'write'),
  tool: fc.constantFrom('get_secret', 'store_secret', 'remove_secret'),
  secret: arbitraryName,
  verified: fc.constantFrom('/opt/cursor', '/tmp/other', null),
  digest: fc.constantFrom('digest-1', 'digest-2', null),
})
const arbitraryEnd: fc.Arbitrary<GrantEnd> = fc.oneof(
  fc.constant(always),
  fc.constant<GrantEnd>({ kind: 'lock' }),
  fc.integer({ min: NOW - 10, max: NOW + 10 }).map((mono): GrantEnd => ({ kind: 'time', mono, wall: 0 })),
)
const arbitraryGrant: fc.Arbitrary<Grant> = fc
  .tuple(fc.boolean(), arbitraryEnd, fc.constantFrom('cursor', 'claude'), arbitraryName, fc.constantFrom('digest-1', 'digest-2'))
  .map(([reads, end, clientId, name, digest]) =>
    reads ? { ...readGrant(end), clientId, name } : { ...callGrant(end), clientId, name, digest },
  )

describe('names', () => {
  test('G01: deny beats allow', () => {
    const verdict = ask(question({ secret: 'prod/db-1' }), policy({ allow: ['prod/*'], deny: ['prod/db-*'] }))
    expect(verdict).toMatchObject({ kind: 'deny', why: 'outside', rule: { by: 'deny', with: 'prod/db-*' } })
  })

  test('G02: an empty policy allows nothing, and so does one that is missing or was tampered with', () => {
    for (const act of ['read', 'see', 'write'] as const) {
      expect(ask(question({ act }), policy({ allow: [] }))).toMatchObject({ kind: 'deny', why: 'outside' })
      expect(ask(question({ act }), null, [readGrant(), callGrant()])).toMatchObject({ kind: 'deny', why: 'outside' })
    }
  })

  test('no grant and no kind of reads opens a name that the policy does not allow', () => {
    fc.assert(
      fc.property(arbitraryQuestion, arbitraryPolicy, fc.array(arbitraryGrant), (question, policy, grants) => {
        const denied = policy.deny.some((pattern) => matches(pattern, question.secret ?? ''))
        const allowed = policy.allow.some((pattern) => matches(pattern, question.secret ?? ''))
        const verdict = ask(question, policy, grants)
        const outside = verdict.kind === 'deny' && verdict.why === 'outside'
        expect(outside).toBe(denied || !allowed)
      }),
    )
  })

  test('the order of patterns never matters', () => {
    const shuffled = arbitraryPolicy.chain((policy) =>
      fc.tuple(
        fc.constant(policy),
        fc.shuffledSubarray(policy.allow, { minLength: policy.allow.length }),
        fc.shuffledSubarray(policy.deny, { minLength: policy.deny.length }),
      ),
    )
    fc.assert(
      fc.property(arbitraryQuestion, shuffled, fc.array(arbitraryGrant), (question, [policy, allow, deny], grants) => {
        expect(kind(question, { ...policy, allow, deny }, grants)).toBe(kind(question, policy, grants))
      }),
    )
  })

  test('seeing a name needs no consent, only a policy that allows it', () => {
    for (const reads of ['always', 'first', 'ask', 'never'] as const)
      expect(kind(question({ act: 'see' }), policy({ reads }))).toBe('allow')
    expect(kind(question({ act: 'see' }), policy({ deny: ['prod/*'] }))).toBe('deny')
  })
})

describe('reads', () => {
  test('always: no question', () => {
    expect(ask(question(), policy({ reads: 'always' }))).toMatchObject({
      kind: 'allow',
      grant: null,
      rule: { by: 'reads', with: 'always' },
    })
  })

  test('first: a question whose answer may be remembered, and none once it is', () => {
    expect(ask(question(), policy({ reads: 'first' }))).toMatchObject({ kind: 'ask', mayRemember: true })
    expect(ask(question(), policy({ reads: 'first' }), [readGrant()])).toMatchObject({
      kind: 'allow',
      grant: { id: 'g1' },
      rule: { by: 'grant', with: 'g1' },
    })
  })

  test('ask: a question every time, also where an answer was remembered under another policy', () => {
    expect(ask(question(), policy({ reads: 'ask' }), [readGrant()])).toMatchObject({ kind: 'ask', mayRemember: false })
  })

  test('never: denied, whatever was granted', () => {
    const call = { ...callGrant(), tool: 'get_secret' }
    expect(ask(question(), policy({ reads: 'never' }), [readGrant(), call])).toMatchObject({ kind: 'deny', why: 'never' })
  })

  test('what test_policy says is what a real read meets: allowed exactly where a call could succeed', () => {
    fc.assert(
      fc.property(arbitraryQuestion, arbitraryPolicy, fc.array(arbitraryGrant), (asked, policy, grants) => {
        // test_policy asks without a call and without grants.
        const tested = kind({ ...asked, act: 'read', tool: 'get_secret', digest: null }, policy) !== 'deny'
        const real = kind({ ...asked, act: 'read', tool: 'get_secret' }, policy, grants)
        expect(real !== 'deny').toBe(tested)
      }),
    )
  })
})

describe('writes', () => {
  test('always ask a person, however reads are treated, and are never remembered', () => {
    for (const reads of ['always', 'first', 'ask', 'never'] as const) {
      expect(ask(question({ act: 'write', tool: 'store_secret' }), policy({ reads }), [readGrant()])).toMatchObject({
        kind: 'ask',
        mayRemember: false,
        rule: { by: 'writes' },
      })
    }
  })

  test('are allowed only by the grant of a late answer to that very call', () => {
    const write = question({ act: 'write', tool: 'store_secret' })
    expect(ask(write, policy(), [callGrant()])).toMatchObject({ kind: 'allow', grant: { id: 'g2' } })
    expect(kind({ ...write, digest: 'digest-2' }, policy(), [callGrant()])).toBe('ask')
    expect(kind({ ...write, digest: null }, policy(), [callGrant()])).toBe('ask')
    expect(kind({ ...write, tool: 'remove_secret' }, policy(), [callGrant()])).toBe('ask')
    expect(kind({ ...write, clientId: 'claude' }, policy(), [callGrant()])).toBe('ask')
  })

  test('of everything at once ask too, and only a policy that is gone refuses them outright', () => {
    const everything = {
      clientId: 'cursor',
      act: 'write',
      tool: 'export_backup',
      secret: null,
      verified: null,
      digest: 'digest-1',
    } as const
    for (const allow of [['*'], []]) expect(kind(everything, policy({ allow }), [readGrant(), callGrant()])).toBe('ask')
    expect(kind(everything, null)).toBe('deny')
  })

  test('a deny that came after the answer wins over it', () => {
    expect(kind(question({ act: 'write', tool: 'store_secret' }), policy({ deny: ['prod/*'] }), [callGrant()])).toBe('deny')
  })

  test('none is ever allowed without a grant for that very call', () => {
    fc.assert(
      fc.property(arbitraryQuestion, arbitraryPolicy, fc.array(arbitraryGrant), (asked, policy, grants) => {
        const verdict = ask({ ...asked, act: 'write' }, policy, grants)
        if (verdict.kind !== 'allow') return
        expect(verdict.grant).toMatchObject({ covers: 'call', clientId: asked.clientId, digest: asked.digest, tool: asked.tool })
      }),
    )
  })
})

describe('grants', () => {
  test.each<[string, Partial<Question & { secret: string }>]>([
    ['another client', { clientId: 'claude' }],
    ['another secret', { secret: 'prod/key' }],
    ['a store', { act: 'write', tool: 'store_secret' }],
    ['a removal', { act: 'write', tool: 'remove_secret' }],
    ['another program with the same key', { verified: '/tmp/other' }],
    ['a program that is not verified', { verified: null }],
  ])('U15: a remembered read does not apply to %s', (_, changes) => {
    const grants = [readGrant({ kind: 'time', mono: NOW + 15 * 60_000, wall: 0 })]
    expect(kind(question(), policy(), grants)).toBe('allow')
    expect(kind(question(changes), policy(), grants)).toBe('ask')
  })

  test('one that has ended does not count, not even in its last millisecond', () => {
    const until = (mono: number) => [readGrant({ kind: 'time', mono, wall: Number.MAX_SAFE_INTEGER })]
    expect(kind(question(), policy(), until(NOW + 1))).toBe('allow')
    expect(kind(question(), policy(), until(NOW))).toBe('ask')
    expect(kind(question(), policy(), until(NOW - 1))).toBe('ask')
  })

  test('those without a time do not end by themselves', () => {
    expect(ended(readGrant(always), Number.MAX_SAFE_INTEGER)).toBe(false)
    expect(ended(readGrant({ kind: 'lock' }), Number.MAX_SAFE_INTEGER)).toBe(false)
  })

  test('one that has ended does not hide one that has not', () => {
    expect(kind(question(), policy(), [readGrant({ kind: 'time', mono: NOW, wall: 0 }), { ...readGrant(), id: 'g3' }])).toBe('allow')
  })

  test('their order never changes the verdict', () => {
    const shuffled = fc
      .array(arbitraryGrant)
      .chain((grants) => fc.tuple(fc.constant(grants), fc.shuffledSubarray(grants, { minLength: grants.length })))
    fc.assert(
      fc.property(arbitraryQuestion, arbitraryPolicy, shuffled, (question, policy, [grants, mixed]) => {
        expect(kind(question, policy, mixed)).toBe(kind(question, policy, grants))
      }),
    )
  })
})

test('the rule that decided reads as words', () => {
  const words = (of: Question, under: Policy | null, grants: Grant[] = []) => ruleText(ask(of, under, grants).rule)
  expect(words(question(), policy())).toBe('policy default: reads first')
  expect(words(question({ act: 'see' }), policy())).toBe('policy default: allow *')
  expect(words(question(), policy({ deny: ['prod/*'] }))).toBe('policy default: deny prod/*')
  expect(words(question(), policy({ allow: ['dev/*'] }))).toBe('policy default: nothing allows it')
  expect(words(question(), null)).toBe('policy gone: nothing allows it')
  expect(words(question({ act: 'write' }), policy())).toBe('every write asks a person')
  expect(words(question(), policy(), [readGrant()])).toBe('grant g1')
})
