// What crosses the local socket: one JSON object per line. First the handshake, then requests and answers.

import type { RpcFault } from '../../src-shared/rpc.ts'
import { CLIENT_ID } from '../../src-shared/client.ts'
import type { JsonObject } from '../mcp/json.ts'
import { isObject } from '../mcp/json.ts'

/** The host speaks this version and the one before: a bridge may be older than the host after an update. */
export const LINK_VERSION = 1
const OLDEST_VERSION = 1

/** A message of the protocol's largest size, with room for numbers that grow when they are written anew. */
export const MAX_MESSAGE_BYTES = 8 << 20
/** Nothing in the handshake is longer; a stranger gets no more of our memory. */
export const MAX_HANDSHAKE_BYTES = 4096
/** The protocol's own limit of 32, and what we wrap around it. */
export const MAX_MESSAGE_DEPTH = 40

export type PeerKind = 'bridge' | 'cli'

/** Why a host lets nobody in: it cannot open its vault yet, the proof failed, or the versions do not meet. */
export const REFUSALS = ['locked', 'unavailable', 'disk', 'damaged', 'new', 'refused', 'version'] as const
export type Refusal = (typeof REFUSALS)[number]
/** Those that are about the vault; `unavailable`: it is in a keychain that is not there; `disk`: the disk is full. */
export type Shut = Exclude<Refusal, 'refused' | 'version'>

export interface Hello {
  v: number
  client: string | null
  nc: Buffer
  kind: PeerKind
}

export interface Challenge {
  ns: Buffer
  proof: Buffer | null
  /** With the key before the current one, while that is still valid; noise otherwise. */
  former: Buffer | null
}

export interface ClientProof {
  proof: Buffer | null
  pid: number
  ppid: number
}

export type ClientMessage = { id: number; method: string; params: unknown } | { cancel: number }

export type HostMessage =
  | { id: number; result: unknown }
  | { id: number; error: RpcFault }
  | { waiting: number; message: string }
  | { event: string; data: unknown }

export type HelloRead = { is: 'hello'; hello: Hello } | { is: 'other version'; message: string } | { is: 'broken' }

/** The version is looked at first: everything else may have changed in another one. */
export function readHello(message: JsonObject): HelloRead {
  const hello = message['hello']
  if (!isObject(hello) || !isCount(hello['v'])) return { is: 'broken' }
  const { v, client, kind } = hello
  if (v < OLDEST_VERSION || v > LINK_VERSION) return { is: 'other version', message: otherVersion(v) }
  const nc = readBytes(hello['nc'])
  if (nc === null || (kind !== 'bridge' && kind !== 'cli')) return { is: 'broken' }
  if (client === null) return { is: 'hello', hello: { v, client, nc, kind } }
  if (typeof client !== 'string' || !CLIENT_ID.test(client)) return { is: 'broken' }
  return { is: 'hello', hello: { v, client, nc, kind } }
}

const otherVersion = (v: number): string =>
  v > LINK_VERSION
    ? 'This program is newer than the Countersign that is running. Quit Countersign and start it again.'
    : 'This program is older than the Countersign that is running. Restart it, so that it matches.'

export function readChallenge(message: JsonObject): Challenge | null {
  const ns = readBytes(message['ns'])
  return ns && { ns, proof: readBytes(message['proof']), former: readBytes(message['former']) }
}

export function readClientProof(message: JsonObject): ClientProof | null {
  const { pid, ppid } = message
  return isCount(pid) && isCount(ppid) ? { proof: readBytes(message['proof']), pid, ppid } : null
}

export function readRefusal(message: JsonObject): { code: Refusal; message: string } | null {
  const error = message['error']
  if (!isObject(error)) return null
  const code = REFUSALS.find((known) => known === error['code'])
  return code && typeof error['message'] === 'string' ? { code, message: error['message'] } : null
}

export function readClientMessage(message: JsonObject): ClientMessage | null {
  const { id, method, params, cancel } = message
  if (isCount(cancel)) return { cancel }
  return isCount(id) && typeof method === 'string' ? { id, method, params } : null
}

export function readHostMessage(message: JsonObject): HostMessage | null {
  const { id, error, waiting, event, data } = message
  if (typeof event === 'string') return { event, data }
  if (isCount(waiting)) return { waiting, message: String(message['message']) }
  if (!isCount(id)) return null
  if (error === undefined) return { id, result: message['result'] }
  // The proven host made it, and its dispatcher knows no other shape.
  return isObject(error) && typeof error['message'] === 'string' ? { id, error: error as unknown as RpcFault } : null
}

export const writeBytes = (bytes: Buffer): string => bytes.toString('hex')

/** Nonces and proofs have one length, and so only one way to be joined. */
function readBytes(text: unknown): Buffer | null {
  return typeof text === 'string' && /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, 'hex') : null
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
