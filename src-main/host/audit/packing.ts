import { OUTCOMES, type Entry, type JsonValue, type LedgerEntry, type Outcome } from '../../../src-shared/audit.ts'
import { canonical } from '../../../src-shared/canonical.ts'

/**
 * How an entry lies in the file: a JSON array in which each repeating string is the number of its word (0 for null). seq is
 * the key of the row. Numbered strings stand at the same places in `Packed` and in what `entryText` spells out.
 */
export type Packed = [
  kind: number,
  event: number,
  call: string | null,
  client: number,
  peer: number,
  standing: number,
  tool: number,
  secret: number,
  outcome: number,
  rule: number,
  approver: number,
  fingerprint: string | null,
  wall: number,
  mono: number,
  boot: number,
  clockBack: 0 | 1,
  detail: JsonValue,
]

/** The canonical JSON of an entry, written out by hand because `verify` does it a million times. A test holds the two together. */
export function entryText(entry: LedgerEntry): string {
  return (
    `{"approver":${text(entry.approver)},"boot":${text(entry.boot)},"call":${text(entry.call)},"client":${text(entry.client)},` +
    `"clockBack":${entry.clockBack},"detail":${canonical(entry.detail)},"event":${text(entry.event)},` +
    `"fingerprint":${text(entry.fingerprint)},"kind":${text(entry.kind)},"mono":${entry.mono},"outcome":${text(entry.outcome)},` +
    `"peer":${text(entry.peer)},"rule":${text(entry.rule)},"secret":${text(entry.secret)},"seq":${entry.seq},` +
    `"standing":${text(entry.standing)},"tool":${text(entry.tool)},"wall":${entry.wall}}`
  )
}

function text(value: string | null): string {
  return value === null ? 'null' : JSON.stringify(value)
}

export function pack(entry: LedgerEntry, id: (word: string | null) => number): Packed {
  return [
    id(entry.kind),
    id(entry.event),
    entry.call,
    id(entry.client),
    id(entry.peer),
    id(entry.standing),
    id(entry.tool),
    id(entry.secret),
    id(entry.outcome),
    id(entry.rule),
    id(entry.approver),
    entry.fingerprint,
    entry.wall,
    entry.mono,
    id(entry.boot),
    entry.clockBack ? 1 : 0,
    entry.detail,
  ]
}

export class UnreadableEntry extends Error {
  override name = 'UnreadableEntry'
}

/** Only its outer form is checked here: whatever else is wrong with a body shows in its MAC. */
export function parsePacked(seq: number, body: string): Packed {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    throw new UnreadableEntry(`Entry ${seq} of the log cannot be read.`)
  }
  if (!Array.isArray(value) || value.length !== 17) throw new UnreadableEntry(`Entry ${seq} of the log cannot be read.`)
  // The length is right, and every element that is not what its place asks for makes a text with another MAC.
  return value as Packed
}

export function unpack(seq: number, packed: Packed, word: (id: number) => string | null): LedgerEntry {
  const [kind, event, call, client, peer, standing, tool, secret, outcome, rule, approver, fingerprint, wall, mono, boot, back, detail] =
    packed
  return {
    kind: entryKind(seq, word(kind)),
    event: present(seq, word(event)),
    call,
    client: word(client),
    peer: word(peer),
    standing: word(standing),
    tool: word(tool),
    secret: word(secret),
    outcome: entryOutcome(seq, word(outcome)),
    rule: word(rule),
    approver: word(approver),
    fingerprint,
    detail: entryDetail(seq, detail),
    seq,
    wall,
    mono,
    boot: present(seq, word(boot)),
    clockBack: back === 1,
  }
}

function present(seq: number, value: string | null): string {
  if (value === null) throw new UnreadableEntry(`Entry ${seq} of the log lacks a field.`)
  return value
}

function entryKind(seq: number, value: string | null): Entry['kind'] {
  if (value === 'intent' || value === 'outcome' || value === 'system') return value
  throw new UnreadableEntry(`Entry ${seq} of the log is of no known kind.`)
}

function entryOutcome(seq: number, value: string | null): Outcome | null {
  if (value === null) return null
  const known = OUTCOMES.find((outcome) => outcome === value)
  if (known === undefined) throw new UnreadableEntry(`Entry ${seq} of the log has no known outcome.`)
  return known
}

function entryDetail(seq: number, value: JsonValue): Record<string, JsonValue> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UnreadableEntry(`Entry ${seq} of the log has no detail.`)
  }
  return value
}
