// Clients that come over HTTP: each has a bearer token of its own instead of a key. A token is shown once, when it is made; what
// is kept is its hash, in a row under MAC.

import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { TokenDays } from '../../src-shared/approval.ts'
import type { Client } from '../../src-shared/client.ts'
import type { ClientInfo, TokenEnd } from '../../src-shared/rpc.ts'
import type { Clients } from './clients.ts'
import { Refusal } from './errors.ts'
import type { Clock } from './ports.ts'
import type { Rows } from './rows.ts'

/** Recognisable, so that a token that was pasted somewhere is found; 256 bits, so that its plain hash gives nothing away. */
const PREFIX = 'cs_'
const SHAPE = /^cs_[A-Za-z0-9_-]{43}$/
const ROW = 'token:'
const DAY_MS = 24 * 3600_000

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

/** One that was made, and how long it is good for. */
interface Kept {
  hash: Buffer
  /** Null: without an end. */
  end: TokenEnd | null
}

/** In a row: a bare hash is a token without an end, as all were once. */
type Written = string | (TokenEnd & { hash: string })

export interface TokensParts {
  rows: Rows
  clients: Clients
  clock: Clock
  /** The end of a token has been noticed: told once. */
  ended: (clientId: string, at: number) => void
  /** An end that could not be written down; it is tried again. */
  reportMistake: (error: unknown) => void
}

export type Tokens = ReturnType<typeof openTokens>

export function openTokens({ rows, clients, clock, ended, reportMistake }: TokensParts) {
  /** Newest first. The one before stays good until the new one has been used, so that a rotation cuts nobody off. */
  const all = new Map<string, readonly Kept[]>()
  for (const { id, body } of rows.list('setting')) {
    // The MAC says that we wrote it, so its shape is ours.
    if (id.startsWith(ROW)) all.set(id.slice(ROW.length), (body as Written[]).map(read))
  }

  const keep = (id: string, kept: readonly Kept[]): void => {
    rows.put('setting', ROW + id, kept.map(write))
    all.set(id, kept)
  }

  const make = (id: string, days: number | null): MadeToken => {
    const token = PREFIX + randomBytes(32).toString('base64url')
    const end = days === null ? null : { at: clock.now() + days * DAY_MS, days, over: false }
    keep(id, [{ hash: hashOf(token), end }, ...(all.get(id) ?? []).slice(0, 1)])
    return { client: known(id), token }
  }

  const known = (id: string): ClientInfo => {
    const client = clients.list().find((one) => one.id === id && one.via === 'http')
    if (client === undefined) throw new Refusal(`There is no token '${id}'`, 'not found')
    return client
  }

  const forget = (id: string): void => {
    if (!all.delete(id)) return
    rows.remove('setting', ROW + id)
    unwritten.delete(id)
  }

  const isOver = ({ end }: Kept): boolean => end !== null && (end.over || clock.now() >= end.at)

  /** Ends that were noticed and are not in the row yet. */
  const unwritten = new Map<string, number[]>()

  /** What has ended stays so, whatever the clock says later: in memory at once, in the row as soon as that can be written. */
  const noticeEnds = (): void => {
    for (const [id, kept] of all) {
      for (const { end } of kept) {
        if (end === null || end.over || clock.now() < end.at) continue
        end.over = true
        unwritten.set(id, [...(unwritten.get(id) ?? []), end.at])
      }
    }
    for (const [id, ends] of unwritten) {
      // Writing a row that was edited would make it ours again.
      if (rows.get('setting', ROW + id) === null) continue
      try {
        keep(id, all.get(id) ?? [])
      } catch (error) {
        reportMistake(error)
        continue
      }
      unwritten.delete(id)
      for (const at of ends) ended(id, at)
    }
  }

  return {
    list: (): ClientInfo[] => clients.list().filter(({ via }) => via === 'http'),
    known,

    add(id: string, name: string, policy: string, days: number | null): MadeToken {
      clients.register(id, name, policy, 'http')
      forget(id)
      return make(id, days)
    },

    rotate(id: string, days: TokenDays): MadeToken {
      known(id)
      return make(id, days === 'same' ? (all.get(id)?.[0]?.end?.days ?? null) : days)
    },

    /** Whatever else goes with a client that is revoked. */
    forget,

    /** To be asked every now and then, so that an end is noticed when nobody comes. */
    noticeEnds,

    /** When the newest token of a client ends. */
    endOf(id: string): TokenEnd | null {
      const newest = all.get(id)?.[0]
      return newest === undefined || newest.end === null ? null : { ...newest.end, over: isOver(newest) }
    },

    /** Null for a token that is nobody's. Every hash is compared, so that the time tells nothing. */
    recognise(token: string): Proof | null {
      if (!SHAPE.test(token)) return null
      const shown = hashOf(token)
      let proof: Proof | null = null
      for (const [owner, kept] of all) {
        for (const { hash } of kept) if (timingSafeEqual(hash, shown)) proof = { owner, hash }
      }
      return proof
    },

    /** Who may come in with it now; null for nobody any more. */
    admit({ owner, hash }: Proof): Client | null {
      const kept = all.get(owner) ?? []
      const shown = kept.find((one) => one.hash === hash)
      if (shown === undefined) return null
      if (isOver(shown)) {
        noticeEnds()
        return null
      }
      const client = clients.get(owner)
      // A row that was edited meanwhile is refused, and with it whoever it spoke for.
      if (client?.via !== 'http' || rows.get('setting', ROW + owner) === null) return null
      if (kept.length > 1 && kept[0] === shown) keep(owner, [shown])
      clients.seen(owner)
      return client
    },
  }
}

const read = (written: Written): Kept => {
  if (typeof written === 'string') return { hash: fromHex(written), end: null }
  const { hash, at, days, over } = written
  return { hash: fromHex(hash), end: { at, days, over } }
}
const write = ({ hash, end }: Kept): Written => (end === null ? toHex(hash) : { hash: toHex(hash), ...end })

const hashOf = (token: string): Buffer => hash('sha256', token, 'buffer')
const toHex = (bytes: Buffer): string => bytes.toString('hex')
const fromHex = (hex: string): Buffer => Buffer.from(hex, 'hex')
