// What happened to a call, and when, in milliseconds since it was received: from the entries about it.

import type { JsonValue, LedgerEntry } from '../../../src-shared/audit.ts'

export interface Step {
  label: string
  /** Milliseconds since the call came; null where the host was another one by then and its clock says nothing. */
  at: number | null
  /** How long it took, where that is known by itself. */
  took: number | null
  note: string | null
}

export function timelineOf(story: readonly LedgerEntry[]): Step[] {
  const [first] = story
  const outcome = story.findLast(({ kind }) => kind === 'outcome')
  if (first === undefined || first.call === null) return []
  const total = number(outcome?.detail['ms'])
  const received = outcome !== undefined && total !== null ? outcome.mono - total : first.mono
  const boot = outcome !== undefined && total !== null ? outcome.boot : first.boot
  const since = (entry: LedgerEntry) => (entry.boot === boot ? Math.max(0, Math.round(entry.mono - received)) : null)
  const steps = [
    ...decision(story, outcome === undefined ? null : since(outcome)),
    ...story.flatMap((entry) => stepsOf(entry, since(entry))),
  ]
  return [{ label: 'received', at: 0, took: null, note: null }, ...steps.toSorted((a, b) => (a.at ?? Infinity) - (b.at ?? Infinity))]
}

/** What was not carried out was decided when it was answered. Where a person decided, the end of asking tells it. */
function decision(story: readonly LedgerEntry[], answered: number | null): Step[] {
  const entry = story.findLast(({ approver, kind }) => approver !== null && kind !== 'system')
  if (entry === undefined || story.some(({ event, approver }) => event === 'approval.ended' && approver === 'person')) return []
  const at = number(entry.detail['decidedMs']) ?? answered
  const by = entry.approver === 'person' ? 'a person' : (entry.approver ?? 'a rule')
  return [{ label: `decided by ${by}`, at, took: null, note: entry.rule }]
}

function stepsOf(entry: LedgerEntry, at: number | null): Step[] {
  const { event, kind, detail, outcome } = entry
  if (event === 'approval.opened') return [{ label: 'asked a person', at, took: null, note: null }]
  if (event === 'approval.revealed') return [{ label: 'the person looked at the value', at, took: null, note: null }]
  if (event === 'approval.ended') return [{ label: endText(detail['end']), at, took: null, note: remembered(detail['remember']) }]
  if (kind === 'intent') return [{ label: 'intent on record', at, took: null, note: null }]
  if (kind !== 'outcome') return [{ label: event, at, took: null, note: null }]
  const keychain = number(detail['keychainMs'])
  const end = outcome === 'recovered' ? 'found after a restart' : `answered: ${outcome ?? 'nothing'}`
  return [
    ...(keychain === null || at === null ? [] : [{ label: 'keychain', at: Math.max(0, at - keychain), took: keychain, note: null }]),
    { label: end, at, took: null, note: text(detail['reason']) ?? text(detail['effect']) },
  ]
}

function endText(end: JsonValue | undefined): string {
  switch (end) {
    case 'allowed':
      return 'the person allowed it'
    case 'denied':
      return 'the person denied it'
    case 'expired':
      return 'nobody answered in time'
    case 'withdrawn':
      return 'the client withdrew it'
    case 'overtaken':
      return 'overtaken by a change'
    default:
      return `asking ended: ${text(end) ?? 'unknown'}`
  }
}

function remembered(choice: JsonValue | undefined): string | null {
  return typeof choice === 'string' && choice !== 'once' ? `remembered: ${choice}` : null
}

function number(value: JsonValue | undefined): number | null {
  return typeof value === 'number' ? value : null
}

function text(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null
}
