import { createSecretKey } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DatabaseSync } from 'node:sqlite'
import type { VerifyReport } from '../../../src-shared/audit.ts'
import { GENESIS, MAC_BYTES, sameMac } from './chain.ts'
import { bySeq } from './chunks.ts'
import { isDamage } from './errors.ts'
import { asBytes, MacCheck } from './macs.ts'
import { entryKind, packedText, parsePacked, unpack, UnreadableEntry } from './packing.ts'
import { shapeOf } from './projection.ts'
import { ProjectionCheck } from './rechecking.ts'
import type { Ask } from './requests.ts'
import { tablesOf } from './schema.ts'
import { breaksOf, pruned, type Base } from './stored.ts'
import { Tampered } from './tampered.ts'
import { WordReader } from './words.ts'

/** So long at a time; then whoever wants a page has a turn. By the clock, because a busy machine takes long for few entries. */
const SLICE_MS = 5
const LOOK_EVERY = 50

const BEGINS_TOO_EARLY = 'The log begins before the place where it was pruned.'

type Head = NonNullable<Ask<'verify'>['head']>

type Row = [seq: number, body: string, mac: string]

/** As text, because node:sqlite takes longer to hand over a blob than a whole row without one. */
const MAC = "iif(typeof(mac) = 'blob', hex(mac), '')"

interface Walked {
  entries: number
  last: number
}

/**
 * Reads the whole log: every MAC, that it continues to what the writer committed last, and that the rows and counts people
 * look at are those the ledger implies. Pauses now and then, so that pages can be read meanwhile.
 */
export async function verify(db: DatabaseSync, chainKey: Uint8Array, head: Head | null): Promise<VerifyReport> {
  const key = createSecretKey(chainKey)
  const walked: Walked = { entries: 0, last: 0 }
  try {
    if (tablesOf(db) !== 'ours') throw new Tampered(0, 'The tables of the log are not as they were made.')
    await walk(db, new MacCheck(chainKey), head, walked)
    const breaks = breaksOf(db, key)
    if (head && walked.last < head.seq) {
      return { state: 'behind', head: walked.last, anchor: head.seq, reason: 'It was cut off while Countersign was running.', breaks }
    }
    return { state: 'ok', entries: walked.entries, head: walked.last, breaks }
  } catch (error) {
    if (error instanceof Tampered) return { state: 'tampered', badSeq: error.seq, reason: error.message, breaks: [] }
    if (!isDamage(error)) throw error
    return { state: 'tampered', badSeq: walked.last + 1, reason: `The database is damaged after entry ${walked.last}.`, breaks: [] }
  }
}

/** Counts in `walked` how far it came. */
async function walk(db: DatabaseSync, macs: MacCheck, head: Head | null, walked: Walked): Promise<void> {
  const words = new WordReader(db)
  const base = startingPoint(db, words)
  const projection = new ProjectionCheck(db)
  const prunedWord = words.idOf('audit.pruned')
  walked.last = base?.seq ?? 0
  let expected = base ? base.seq + 1 : null
  let [previous, mac] = [Buffer.from(base?.mac ?? GENESIS), Buffer.alloc(MAC_BYTES)]

  const check = ([seq, body, hex]: Row): void => {
    const packed = parsePacked(seq, body)
    mac.write(hex, 'hex')
    if (hex.length !== MAC_BYTES * 2 || !macs.isRight(mac, packedText(seq, packed, words.bytes, asBytes), previous)) {
      throw new Tampered(seq, `Entry ${seq} is not what was written.`)
    }
    if (packed[1] === prunedWord && Number(unpack(seq, packed, words.word).detail['base']) > (base?.seq ?? 0)) {
      throw new Tampered(seq, BEGINS_TOO_EARLY)
    }
    projection.follow({ seq, wall: packed[12], kind: entryKind(seq, words.word(packed[0])), call: packed[2], shape: shapeOf(packed) })
    if (head?.seq === seq && !sameMac(head.mac, mac)) throw new Tampered(seq, `Entry ${seq} was exchanged.`)
    ;[previous, mac] = [mac, previous]
  }

  let until = performance.now() + SLICE_MS
  for (const rows of bySeq<Row>(db, 'ledger', `body, ${MAC}`)) {
    for (const row of rows) {
      const [seq] = row
      if (expected !== null && seq !== expected) throw new Tampered(Math.min(seq, expected), gap(seq, expected))
      try {
        check(row)
      } catch (error) {
        throw error instanceof UnreadableEntry ? new Tampered(seq, error.message) : error
      }
      expected = seq + 1
      walked.last = seq
      if (++walked.entries % LOOK_EVERY === 0 && performance.now() > until) {
        await nextTurn()
        until = performance.now() + SLICE_MS
      }
    }
  }
  if (!head || walked.last >= head.seq) await projection.finish()
}

/** Where the chain begins if a prefix was pruned. The row that says so is itself in the chain, so the walk proves it. */
function startingPoint(db: DatabaseSync, words: WordReader): Base | null {
  try {
    const found = pruned(db, words)
    if (found === null) return null
    if (found.by.seq <= found.base.seq) throw new Tampered(found.by.seq, `Entry ${found.by.seq} is not what was written.`)
    return found.base
  } catch (error) {
    throw error instanceof UnreadableEntry ? new Tampered(0, error.message) : error
  }
}

function gap(seq: number, expected: number): string {
  return seq > expected ? `Entry ${expected} is missing.` : BEGINS_TOO_EARLY
}
