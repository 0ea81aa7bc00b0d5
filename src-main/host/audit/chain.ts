import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto'

/** What stands before the first row of a file. */
export const GENESIS: Uint8Array = new Uint8Array(32)

const TAG = Buffer.from('countersign audit entry v1\0')

/** HMAC-SHA-256(chain key, tag ‖ length of the text ‖ text ‖ MAC of the entry before). */
export function macOf(key: KeyObject, text: string, previous: Uint8Array): Buffer {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return createHmac('sha256', key)
    .update(Buffer.concat([TAG, length, bytes, previous]))
    .digest()
}

export function sameMac(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}

export interface Anchor {
  seq: number
  mac: string
}

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
  if (!Number.isSafeInteger(seq) || typeof seq !== 'number' || seq < 1) return null
  if (typeof mac !== 'string' || !/^[0-9a-f]{64}$/.test(mac)) return null
  return { seq, mac }
}
