import { expect, test } from 'vitest'
import type { LedgerEntry } from '../../../src-shared/audit.ts'
import { timelineOf } from './timeline.ts'

function entry(seq: number, changes: Partial<LedgerEntry>): LedgerEntry {
  return {
    seq,
    wall: 1_768_478_400_000 + seq,
    mono: 1_000,
    boot: 'boot-1',
    clockBack: false,
    kind: 'outcome',
    event: 'call',
    call: 'call-1',
    client: 'cursor',
    peer: null,
    standing: 'verified',
    tool: 'get_secret',
    secret: 'dev/token',
    outcome: 'allowed',
    rule: 'policy default: reads always',
    approver: 'policy',
    fingerprint: null,
    detail: {},
    ...changes,
  }
}

const told = (story: LedgerEntry[]) => timelineOf(story).map(({ label, at, took }) => [label, at, ...(took === null ? [] : [took])])

test('a read goes from received by decided and keychain to answered', () => {
  expect(told([entry(1, { mono: 5_012, detail: { decidedMs: 1, keychainMs: 9, ms: 12 } })])).toEqual([
    ['received', 0],
    ['decided by policy', 1],
    ['keychain', 3, 9],
    ['answered: allowed', 12],
  ])
})

test('a write that a person allowed tells of the asking and of its intent', () => {
  const rule = { rule: 'policy default: writes', approver: 'person' }
  const story = [
    entry(1, { kind: 'system', event: 'approval.opened', mono: 1_002, outcome: null, approver: null }),
    entry(2, { kind: 'system', event: 'approval.ended', mono: 8_000, outcome: null, approver: 'person', detail: { end: 'allowed' } }),
    entry(3, { kind: 'intent', mono: 8_003, outcome: null, ...rule, detail: { decidedMs: 7_001 } }),
    entry(4, { mono: 8_030, ...rule, detail: { decidedMs: 7_001, keychainMs: 20, ms: 7_030 } }),
  ]
  expect(told(story)).toEqual([
    ['received', 0],
    ['asked a person', 2],
    ['the person allowed it', 7_000],
    ['intent on record', 7_003],
    ['keychain', 7_010, 20],
    ['answered: allowed', 7_030],
  ])
})

test('a denial by a rule was decided when it was answered', () => {
  const story = [entry(1, { outcome: 'denied', detail: { ms: 1, reason: 'outside' } })]
  expect(told(story)).toEqual([
    ['received', 0],
    ['decided by policy', 1],
    ['answered: denied', 1],
  ])
})

test('what another run of the host found out has no milliseconds', () => {
  const story = [
    entry(1, { kind: 'intent', outcome: null, detail: { decidedMs: 3 } }),
    entry(2, { boot: 'boot-2', mono: 5, outcome: 'recovered', detail: { decidedMs: 3, effect: 'applied' } }),
  ]
  expect(told(story)).toEqual([
    ['received', 0],
    ['intent on record', 0],
    ['decided by policy', 3],
    ['found after a restart', null],
  ])
})

test('an entry that is no call has no timeline', () => {
  expect(timelineOf([entry(1, { kind: 'system', event: 'host.started', call: null })])).toEqual([])
  expect(timelineOf([])).toEqual([])
})
