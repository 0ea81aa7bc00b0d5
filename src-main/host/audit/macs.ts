import { hash } from 'node:crypto'
import { MAC_BYTES, TAG } from './chain.ts'

/** Of SHA-256. */
const BLOCK = 64

/**
 * Checks MACs as `macOf` makes them. node:crypto takes three times as long to set up an HMAC, and to make a Buffer of it, as to
 * compute it; whoever reads a million entries has both blocks of the key ready, and takes the hashes as strings.
 */
export class MacCheck {
  #inner: Buffer
  readonly #outer: Buffer

  /** A key of 32 bytes. */
  constructor(key: Uint8Array) {
    if (key.length > BLOCK) throw new RangeError('The key of the log is too long.')
    this.#inner = Buffer.concat([padded(key, 0x36), TAG])
    this.#outer = Buffer.concat([padded(key, 0x5c), Buffer.alloc(MAC_BYTES)])
  }

  /** `text` is UTF-8 with a character for each byte. */
  isRight(mac: Uint8Array, text: string, previous: Uint8Array): boolean {
    const start = BLOCK + TAG.length + 4
    const end = start + text.length
    if (this.#inner.length < end + MAC_BYTES) this.#inner = Buffer.concat([this.#inner, Buffer.alloc(end * 2)])
    const inner = this.#inner
    inner.writeUInt32BE(text.length, start - 4)
    inner.write(text, start, 'latin1')
    for (let at = 0; at < MAC_BYTES; at++) inner[end + at] = previous[at] ?? 0
    this.#outer.write(hash('sha256', inner.subarray(0, end + MAC_BYTES), 'binary'), BLOCK, 'latin1')
    return isSame(mac, hash('sha256', this.#outer, 'binary'))
  }
}

function padded(key: Uint8Array, pad: number): Buffer {
  const block = Buffer.alloc(BLOCK, pad)
  for (const [at, byte] of key.entries()) block[at] = byte ^ pad
  return block
}

/** In the same time wherever they differ. */
function isSame(mac: Uint8Array, bytes: string): boolean {
  let differs = mac.length ^ bytes.length
  for (let at = 0; at < MAC_BYTES; at++) differs |= (mac[at] ?? 0) ^ bytes.charCodeAt(at)
  return differs === 0
}

/** A text as UTF-8 with a character for each byte. */
export function asBytes(text: string): string {
  return ASCII.test(text) ? text : Buffer.from(text).toString('latin1')
}

const ASCII = /^[\0-\x7f]*$/
