import type { Packed } from './packing.ts'

/** What rows are filtered and counted by, as word numbers, in the order of the columns of `shapes`. */
export type Shape = [client: number, tool: number, secret: number, outcome: number, event: number, rule: number, approver: number]

export function shapeOf(packed: Packed): Shape {
  return [packed[3], packed[6], packed[7], packed[8], packed[1], packed[9], packed[10]]
}

/** An intent that awaits its outcome. */
export interface OpenRow {
  seq: number
  wall: number
  shape: Shape
}

export interface Placed {
  seq: number
  kind: 'intent' | 'outcome' | 'system'
  call: string | null
  wall: number
  shape: Shape
}

/** What an entry means for the projection: a row of its own, a row that waits for more, or the end of one that waited. */
export type Placement = { does: 'stand alone' } | { does: 'open' } | { does: 'close'; row: OpenRow; shape: Shape }

/**
 * The one rule by which the projection follows from the ledger; the writer and `verify` both live by it. An outcome completes
 * the open intent of its call. Approvals and other system entries stand alone, also when they name a call.
 */
export function place(entry: Placed, open: Map<string, OpenRow>): Placement {
  if (entry.call === null) return { does: 'stand alone' }
  const row = open.get(entry.call)
  if (entry.kind === 'intent' && row === undefined) {
    open.set(entry.call, { seq: entry.seq, wall: entry.wall, shape: entry.shape })
    return { does: 'open' }
  }
  if (entry.kind === 'outcome' && row !== undefined) {
    open.delete(entry.call)
    return { does: 'close', row, shape: merged(row.shape, entry.shape) }
  }
  return { does: 'stand alone' }
}

/** What the outcome leaves out was said by the intent. */
function merged(intent: Shape, outcome: Shape): Shape {
  const [client, tool, secret, result, event, rule, approver] = outcome
  return [client || intent[0], tool || intent[1], secret || intent[2], result || intent[3], event, rule || intent[5], approver || intent[6]]
}
