import { OUTCOMES, type Entry, type LedgerEntry, type Outcome } from '../../../src-shared/audit.ts'

/**
 * How an entry lies in the file: a JSON array in which each repeating string is the number of its word (0 for null), and the
 * detail is its canonical text. seq is the key of the row.
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
  detail: string,
]

/** `detail` is its canonical text already. */
export function pack(entry: Omit<LedgerEntry, 'detail'> & { detail: string }, id: (word: string | null) => number): Packed {
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

/**
 * The canonical JSON of the entry that a row stands for; `json` gives a word as JSON. Put together by hand, and from the packed
 * form, because `verify` does it a million times. A test holds it and `canonical` together. `written` is how texts that are no
 * words are to be spelled, if not as they are.
 */
export function packedText(
  seq: number,
  packed: Packed,
  json: (id: number) => string,
  written: (text: string) => string = (text) => text,
): string {
  const [kind, event, call, client, peer, standing, tool, secret, outcome, rule, approver, fingerprint, wall, mono, boot, back, detail] =
    packed
  return (
    `{"approver":${json(approver)},"boot":${json(boot)},"call":${call === null ? 'null' : written(JSON.stringify(call))},` +
    `"client":${json(client)},"clockBack":${back === 1},"detail":${written(detail)},"event":${json(event)},` +
    `"fingerprint":${fingerprint === null ? 'null' : written(JSON.stringify(fingerprint))},"kind":${json(kind)},"mono":${mono},` +
    `"outcome":${json(outcome)},"peer":${json(peer)},"rule":${json(rule)},"secret":${json(secret)},"seq":${seq},` +
    `"standing":${json(standing)},"tool":${json(tool)},"wall":${wall}}`
  )
}

export class UnreadableEntry extends Error {
  override name = 'UnreadableEntry'
}

/** Checks the form alone: whatever else is wrong with a body shows in its MAC. */
export function parsePacked(seq: number, body: string): Packed {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    throw unreadable(seq)
  }
  if (!Array.isArray(value) || value.length !== 17) throw unreadable(seq)
  for (let at = 0; at < 17; at++) if (!fits(at, value[at])) throw unreadable(seq)
  // Each element was found to be of the type of its place.
  return value as Packed
}

function fits(at: number, value: unknown): boolean {
  if (at === 16) return typeof value === 'string'
  if (at === 2 || at === 11) return value === null || typeof value === 'string'
  return typeof value === 'number'
}

function unreadable(seq: number): UnreadableEntry {
  return new UnreadableEntry(`Entry ${seq} of the log cannot be read.`)
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

export function entryKind(seq: number, value: string | null): Entry['kind'] {
  if (value === 'intent' || value === 'outcome' || value === 'system') return value
  throw new UnreadableEntry(`Entry ${seq} of the log is of no known kind.`)
}

function entryOutcome(seq: number, value: string | null): Outcome | null {
  if (value === null) return null
  const known = OUTCOMES.find((outcome) => outcome === value)
  if (known === undefined) throw new UnreadableEntry(`Entry ${seq} of the log has no known outcome.`)
  return known
}

function entryDetail(seq: number, text: string): Entry['detail'] {
  try {
    const value: unknown = JSON.parse(text)
    // What is under the MAC was made from a detail; what is not under it is refused before anybody relies on it.
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Entry['detail']
  } catch {
    // Said below, as for any other text that is no detail.
  }
  throw new UnreadableEntry(`Entry ${seq} of the log has no detail.`)
}
