// The three keys the host lives by. They are keychain items, read once at start, and written to no file.

import { createHmac, randomBytes } from 'node:crypto'
import type { Keychain } from './ports.ts'
import { DamagedStore } from './store.ts'

export interface Keys {
  /** Chains the audit log. */
  chain: Buffer
  /** Made just now: whatever an existing log was chained with is lost, so it goes on in a new segment. */
  chainIsNew: boolean
  fingerprint: Buffer
  /** Parent of the keys that seal values and MAC rows. */
  row: Buffer
}

/** Without this key nothing in the vault database can be trusted or opened: it counts as damaged. */
export class LostKey extends DamagedStore {
  override name = 'LostKey'
}

/** `known`: a vault already exists, so a missing key is a loss and not a first start. */
export async function loadKeys(keychain: Keychain, { known }: { known: boolean }): Promise<Keys> {
  const row = (await read(keychain, 'row')) ?? (await make(keychain, 'row', known))
  const fingerprint = (await read(keychain, 'fingerprint')) ?? (await make(keychain, 'fingerprint', known))
  const chain = await read(keychain, 'chain')
  return { row, fingerprint, chain: chain ?? (await make(keychain, 'chain', false)), chainIsNew: chain === null }
}

/** A key for one purpose, so that no MAC or box of one kind can stand in for another. */
export function subkey(key: Buffer, purpose: string): Buffer {
  return createHmac('sha256', key).update(`countersign ${purpose}`).digest()
}

/** HMAC-SHA-256 over fields with their lengths, so that no two lists of fields look alike. */
export function macOf(key: Buffer, fields: readonly (string | number | null)[]): Buffer {
  const mac = createHmac('sha256', key)
  for (const field of fields) {
    const text = field === null ? 'null' : typeof field === 'number' ? `n${field}` : `s${field}`
    mac.update(`${Buffer.byteLength(text)}:`).update(text)
  }
  return mac.digest()
}

type KeyName = 'chain' | 'fingerprint' | 'row'

/** An item that is no key of ours any more (edited by hand) is as lost as a missing one. */
async function read(keychain: Keychain, name: KeyName): Promise<Buffer | null> {
  const text = await keychain.get(`key:${name}`)
  if (text === null) return null
  const key = Buffer.from(text, 'base64')
  return key.length === 32 && key.toString('base64') === text ? key : null
}

async function make(keychain: Keychain, name: KeyName, known: boolean): Promise<Buffer> {
  if (known) {
    throw new LostKey(
      `The ${name} key is missing from the keychain, so the vault cannot be trusted. Bring the keychain back, or start anew.`,
    )
  }
  const key = randomBytes(32)
  await keychain.set(`key:${name}`, key.toString('base64'))
  if (!(await read(keychain, name))?.equals(key)) throw new Error(`The keychain did not keep the ${name} key.`)
  return key
}
