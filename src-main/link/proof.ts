// Both ends prove that they hold the registration's key, over nonces of both, without showing it.

/** Loaded when the first connection is made: the bridge answers its client's handshake before it needs any of this. */
export async function loadProofs(): Promise<Proofs> {
  const { createHmac, randomBytes, timingSafeEqual } = await import('node:crypto')
  return {
    nonce: () => randomBytes(32),
    make: (key, role, nc, ns) => createHmac('sha256', key).update(role).update(nc).update(ns).digest(),
    same: (given, expected) => given !== null && given.length === expected.length && timingSafeEqual(given, expected),
  }
}

export interface Proofs {
  nonce: () => Buffer
  make: (key: Buffer, role: 'host' | 'client', nc: Buffer, ns: Buffer) => Buffer
  same: (given: Buffer | null, expected: Buffer) => boolean
}
