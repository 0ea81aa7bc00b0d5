// Clients that come over HTTP: each has a bearer token of its own instead of a key. A token is shown once, when it is made; what
// is kept is its hash, in a row under MAC.

import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Client } from '../../src-shared/client.ts'
import type { ClientInfo } from '../../src-shared/rpc.ts'
import type { Clients } from './clients.ts'
import { Refusal } from './errors.ts'
import type { Rows } from './rows.ts'

/** Recognisable, so that a token that was pasted somewhere is found; 256 bits, so that its plain hash gives nothing away. */
const PREFIX = 'cs_'
const SHAPE = /^cs_[A-Za-z0-9_-]{43}$/
const ROW = 'token:'

export interface MadeToken {
  client: ClientInfo
  /** The only time it is ever told. */
  token: string
}

/** That a token was shown. Good for as long as the hash it was recognised by is kept, and only that very one. */
export interface Proof {
  owner: string
  hash: Buffer
}

export type Tokens = ReturnType<typeof openTokens>

export function openTokens(rows: Rows, clients: Clients) {
  /** Newest first. The one before stays good until the new one has been used, so that a rotation cuts nobody off. */
  const hashes = new Map<string, Buffer[]>()
  for (const { id, body } of rows.list('setting')) {
    // The MAC says that we wrote it, so its shape is ours.
    if (id.startsWith(ROW)) hashes.set(id.slice(ROW.length), (body as string[]).map(fromHex))
  }

  const keep = (id: string, kept: Buffer[]): void => {
    rows.put('setting', ROW + id, kept.map(toHex))
    hashes.set(id, kept)
  }

  const make = (client: ClientInfo): MadeToken => {
    const token = PREFIX + randomBytes(32).toString('base64url')
    keep(client.id, [hashOf(token), ...(hashes.get(client.id) ?? []).slice(0, 1)])
    return { client, token }
  }

  const known = (id: string): ClientInfo => {
    const client = clients.list().find((one) => one.id === id && one.via === 'http')
    if (client === undefined) throw new Refusal(`There is no token '${id}'`, 'not found')
    return client
  }

  const forget = (id: string): void => {
    if (!hashes.delete(id)) return
    rows.remove('setting', ROW + id)
  }

  return {
    list: (): ClientInfo[] => clients.list().filter(({ via }) => via === 'http'),
    known,

    add(id: string, name: string, policy: string): MadeToken {
      const client = clients.register(id, name, policy, 'http')
      forget(id)
      return make(client)
    },

    rotate: (id: string): MadeToken => make(known(id)),

    /** Whatever else goes with a client that is revoked. */
    forget,

    /** Null for a token that is nobody's. Every hash is compared, so that the time tells nothing. */
    recognise(token: string): Proof | null {
      if (!SHAPE.test(token)) return null
      const shown = hashOf(token)
      let proof: Proof | null = null
      for (const [owner, kept] of hashes) {
        for (const hash of kept) if (timingSafeEqual(hash, shown)) proof = { owner, hash }
      }
      return proof
    },

    /** Who may come in with it now; null for nobody any more. */
    admit({ owner, hash }: Proof): Client | null {
      const kept = hashes.get(owner)
      if (kept === undefined || !kept.includes(hash)) return null
      const client = clients.get(owner)
      // A row that was edited meanwhile is refused, and with it whoever it spoke for.
      if (client?.via !== 'http' || rows.get('setting', ROW + owner) === null) return null
      if (kept.length > 1 && kept[0] === hash) keep(owner, [hash])
      clients.seen(owner)
      return client
    },
  }
}

const hashOf = (token: string): Buffer => hash('sha256', token, 'buffer')
const toHex = (bytes: Buffer): string => bytes.toString('hex')
const fromHex = (hex: string): Buffer => Buffer.from(hex, 'hex')
