// Sealed bytes: AES-256-GCM under a key that lives elsewhere. The parts say what a box is and where it
// belongs (format first, then name, version, …); they are authenticated with it, so a box that is edited, swapped or moved to
// another place does not open.
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'

const VERSION = 1
const IV_BYTES = 12
const TAG_BYTES = 16
const LENGTH_BYTES = 4
const KEY_BYTES = 32

// A box tells only which of these its content fits into; beyond the last, the content is rounded up to a multiple of it.
const SIZE_CLASSES = [256, 1024, 4096, 16_384, 65_536] as const
const LARGEST_CLASS = SIZE_CLASSES[4]

/** The box does not open: wrong key, another place, or changed bytes. Which of these cannot be told. */
export class SealError extends Error {
  override name = 'SealError'
  constructor() {
    super('The sealed data does not open: the key is another one, or the data was changed.')
  }
}

export function seal(key: Uint8Array, parts: readonly string[], content: Uint8Array): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
  cipher.setAAD(bind(parts))
  const padded = pad(content)
  const body = cipher.update(padded)
  padded.fill(0)
  return Buffer.concat([Buffer.of(VERSION), iv, body, cipher.final(), cipher.getAuthTag()])
}

/** The content as it was sealed; throws SealError when the box does not open for this key and these parts. */
export function open(key: Uint8Array, parts: readonly string[], box: Uint8Array): Buffer {
  if (box.length < 1 + IV_BYTES + LENGTH_BYTES + TAG_BYTES || box[0] !== VERSION) throw new SealError()
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(1, 1 + IV_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(bind(parts))
  decipher.setAuthTag(box.subarray(box.length - TAG_BYTES))
  const padded = decipher.update(box.subarray(1 + IV_BYTES, box.length - TAG_BYTES))
  try {
    decipher.final()
  } catch {
    padded.fill(0)
    throw new SealError()
  }
  const length = padded.readUInt32BE(0)
  if (length > padded.length - LENGTH_BYTES) throw new SealError()
  return padded.subarray(LENGTH_BYTES, LENGTH_BYTES + length)
}

/** How a key was made from a passphrase. Stands in the open beside what the key opens. */
export interface KdfParams {
  kdf: 'scrypt'
  N: number
  r: number
  p: number
  /** Base64. */
  salt: string
}

export function newKdfParams(): KdfParams {
  return { kdf: 'scrypt', N: 2 ** 17, r: 8, p: 1, salt: randomBytes(16).toString('base64') }
}

/** Off the event loop; some tenths of a second and 128 MiB at the parameters of today. */
export function deriveKey(passphrase: string, { N, r, p, salt }: KdfParams): Promise<Buffer> {
  // The parameters come from a file: edited ones must not make us allocate all memory there is.
  const plausible = [N, r, p].every(Number.isInteger) && N >= 2 && N <= 2 ** 20 && r >= 1 && r <= 32 && p >= 1 && p <= 16
  if (!plausible || N * r > 2 ** 23) return Promise.reject(new SealError())
  // One passphrase typed on two systems may be composed differently; it is the same passphrase.
  const typed = Buffer.from(passphrase.normalize('NFC'), 'utf8')
  return new Promise((resolve, reject) => {
    scrypt(typed, Buffer.from(salt, 'base64'), KEY_BYTES, { N, r, p, maxmem: 256 * (N + p) * r }, (error, key) => {
      typed.fill(0)
      if (error) reject(error)
      else resolve(key)
    })
  })
}

// Every part carries its length, so that ('ab', 'c') and ('a', 'bc') never bind alike.
function bind(parts: readonly string[]): Buffer {
  const chunks = parts.flatMap((part) => {
    const bytes = Buffer.from(part, 'utf8')
    const length = Buffer.alloc(LENGTH_BYTES)
    length.writeUInt32BE(bytes.length)
    return [length, bytes]
  })
  return Buffer.concat(chunks)
}

function pad(content: Uint8Array): Buffer {
  const size = SIZE_CLASSES.find((limit) => content.length <= limit) ?? Math.ceil(content.length / LARGEST_CLASS) * LARGEST_CLASS
  const padded = Buffer.alloc(LENGTH_BYTES + size)
  padded.writeUInt32BE(content.length)
  padded.set(content, LENGTH_BYTES)
  return padded
}
