import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto'

/** What stands before the first row of a file. */
export const GENESIS: Uint8Array = new Uint8Array(32)

export const TAG = Buffer.from('countersign audit entry v1\0')
export const MAC_BYTES = 32

/** Made anew for every entry it would be a third of the time that verifying a long log takes. */
let scratch = Buffer.alloc(0)

/** HMAC-SHA-256(chain key, tag ‖ length of the text ‖ text ‖ MAC of the entry before). */
export function macOf(key: KeyObject, text: string, previous: Uint8Array): Buffer {
  const most = TAG.length + 4 + text.length * 3 + MAC_BYTES
  if (scratch.length < most) {
    scratch = Buffer.alloc(most * 2)
    TAG.copy(scratch)
  }
  const start = TAG.length + 4
  const length = scratch.write(text, start)
  scratch.writeUInt32BE(length, TAG.length)
  scratch.set(previous, start + length)
  return createHmac('sha256', key)
    .update(scratch.subarray(0, start + length + previous.length))
    .digest()
}

export function sameMac(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}

export interface Anchor {
  seq: number
  mac: string
}

/** Stands in the keychain before the first entry is written, so that later its absence means something. */
export const BEGINNING: Anchor = { seq: 0, mac: '0'.repeat(64) }

export function anchorText(anchor: Anchor): string {
  return JSON.stringify({ v: 1, seq: anchor.seq, mac: anchor.mac })
}

/** Null for a text that is none of ours. */
export function parseAnchor(text: string): Anchor | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null || !('seq' in value) || !('mac' in value)) return null
  const { seq, mac } = value
  if (!Number.isSafeInteger(seq) || typeof seq !== 'number' || seq < 0) return null
  if (typeof mac !== 'string' || !/^[0-9a-f]{64}$/.test(mac)) return null
  return { seq, mac }
}
