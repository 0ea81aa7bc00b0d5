// The host's half of the handshake. A stranger learns from it neither which clients exist nor how near a guess was.

import type { Channel } from './channel.ts'
import { readClientProof, readHello, writeBytes, type Hello, type PeerKind, type Refusal, type Shut } from './messages.ts'
import type { Proofs } from './proof.ts'

export interface Keys {
  /** Why nobody can be let in at the moment. */
  state: () => { code: Shut; message: string } | null
  /** The valid keys, the current one first; null when there is no such client. */
  keysOf: (clientId: string) => { generation: number; key: Buffer }[] | null
}

export interface Accepted {
  /** null: nobody we know. */
  clientId: string | null
  generation: number
  kind: PeerKind
  declared: { pid: number; ppid: number }
}

const NOT_PROVEN = 'This registration is missing or revoked.'

/** null when the peer was turned away; it has then been told why, where that helps an honest one. */
export async function acceptPeer(channel: Channel, keys: Keys, proofs: Proofs, patience: Patience): Promise<Accepted | null> {
  const turnAway = (code: Refusal, message: string): null => {
    channel.send({ error: { code, message } })
    channel.close()
    return null
  }
  const read = readHello(await channel.receive())
  if (read.is === 'broken') return turnAway('refused', NOT_PROVEN)
  if (read.is === 'other version') return turnAway('version', read.message)
  const closed = keys.state()
  if (closed !== null) return turnAway(closed.code, closed.message)

  const { hello } = read
  const checks = hello.client === null ? null : prepare(hello, hello.client, keys, proofs)
  channel.send(checks ? checks.challenge : { ns: writeBytes(proofs.nonce()), proof: null })
  const answer = readClientProof(await channel.receive())
  if (answer === null) return turnAway('refused', NOT_PROVEN)
  const declared = { pid: answer.pid, ppid: answer.ppid }
  if (checks === null) return { clientId: null, generation: 0, kind: hello.kind, declared }

  const proven = checks.provenBy(answer.proof)
  // Asked again: the registration may have been revoked, or made anew, since the challenge was sent.
  const valid = proven !== null && keys.keysOf(checks.clientId)?.some(({ key }) => proofs.same(key, proven.key))
  if (proven === null || valid !== true) {
    await patience.wait(checks.clientId)
    return turnAway('refused', NOT_PROVEN)
  }
  patience.forget(checks.clientId)
  return { clientId: checks.clientId, generation: proven.generation, kind: hello.kind, declared }
}

/** Always two keys' worth of work: an unknown client, or one without a former key, is given a key that nobody has. */
function prepare({ nc }: Hello, clientId: string, keys: Keys, proofs: Proofs) {
  const valid = keys.keysOf(clientId) ?? []
  const ns = proofs.nonce()
  const slots = [0, 1].map((slot) => {
    const known = valid[slot] ?? null
    const key = known?.key ?? proofs.nonce()
    return {
      known,
      host: proofs.make(key, 'host', nc, ns),
      client: proofs.make(key, 'client', nc, ns),
    }
  })
  const [current, former] = slots
  return {
    clientId,
    challenge: { ns: writeBytes(ns), proof: current && writeBytes(current.host), former: former && writeBytes(former.host) },
    provenBy(proof: Buffer | null): { generation: number; key: Buffer } | null {
      const proven = slots.filter((slot) => proofs.same(proof, slot.client))
      return proven[0]?.known ?? null
    },
  }
}

export interface Patience {
  /** Waits longer each time for the same claimed client. A right proof never waits, so nobody can lock another out. */
  wait: (clientId: string) => Promise<void>
  forget: (clientId: string) => void
}

const FIRST_WAIT_MS = 50
/** Below what a bridge waits for its host, so that an honest one with a revoked key still hears why. */
const LONGEST_WAIT_MS = 2000
const REMEMBERED = 256

export function createPatience(): Patience {
  const failures = new Map<string, number>()
  return {
    wait(clientId) {
      const before = failures.get(clientId) ?? 0
      failures.delete(clientId)
      failures.set(clientId, before + 1)
      const oldest = failures.keys().next()
      if (failures.size > REMEMBERED && !oldest.done) failures.delete(oldest.value)
      return new Promise((resolve) => setTimeout(resolve, Math.min(FIRST_WAIT_MS * 2 ** before, LONGEST_WAIT_MS)))
    },
    forget: (clientId) => failures.delete(clientId),
  }
}
