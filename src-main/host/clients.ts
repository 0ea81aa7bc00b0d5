// Who we know: registrations, their keys and policies. A key proves the configuration, not the program; the program is recorded
// when a person first allows one of the client's calls.

import { createHmac } from 'node:crypto'
import { CLI_CLIENT_ID, CLIENT_ID, type Caller, type Client } from '../../src-shared/client.ts'
import { DEFAULT_POLICY } from '../../src-shared/policy.ts'
import type { ClientInfo, TokenEnd } from '../../src-shared/rpc.ts'
import { Refusal } from './errors.ts'
import type { Policies } from './policies.ts'
import type { Clock } from './ports.ts'
import type { Rows } from './rows.ts'

/** Where a client's key is left for its bridge to find: in our own folder, never in the client's files. */
export interface KeyFiles {
  write: (clientId: string, key: Buffer) => void
  remove: (clientId: string) => void
  /** Whether this very key lies there. */
  holds: (clientId: string, key: Buffer) => boolean
  /** Whatever else lies there goes. */
  keepOnly: (clientIds: readonly string[]) => void
}

export interface ClientsParts {
  rows: Rows
  rowKey: Buffer
  policies: Policies
  clock: Clock
  keyFiles: KeyFiles
  coolingUntil: (clientId: string) => number | null
  tokenEnd: (clientId: string) => TokenEnd | null
}

/** Not a name a policy can have. */
const NO_POLICY = '(none)'

export type Clients = ReturnType<typeof openClients>

export function openClients({ rows, rowKey, policies, clock, keyFiles, coolingUntil, tokenEnd }: ClientsParts) {
  const lastSeen = new Map<string, number>()
  const connections = new Map<string, number>()

  // The MAC says that we wrote it, so its shape is ours.
  const get = (id: string): Client | null => rows.get('client', id) as Client | null
  const known = (id: string): Client => {
    const client = get(id)
    if (client === null) throw new Refusal(`There is no client '${id}'`, 'not found')
    return client
  }
  const save = (client: Client): ClientInfo => {
    rows.put('client', client.id, client)
    return info(client)
  }
  const info = (client: Client): ClientInfo => {
    const end = tokenEnd(client.id)
    return {
      ...client,
      lastSeen: lastSeen.get(client.id) ?? null,
      connections: connections.get(client.id) ?? 0,
      coolingUntil: coolingUntil(client.id),
      ...(end === null ? {} : { tokenEnd: end }),
    }
  }
  const requirePolicy = (name: string): void => {
    if (policies.get(name) === null) throw new Refusal(`There is no policy '${name}'`, 'not found')
  }
  // Derived, so that no key stands in the database. `created` tells a registration from an earlier one of the same id.
  const keyOf = (client: Client, generation: number): Buffer =>
    createHmac('sha256', rowKey)
      .update(JSON.stringify(['client key', client.id, client.created, generation]))
      .digest()

  const register = (id: string, name: string, policy: string, via?: 'http'): ClientInfo => {
    if (get(id) !== null) throw new Refusal(`There is a client '${id}' already`, 'exists')
    requirePolicy(policy)
    const client: Client = {
      id,
      name,
      policy,
      created: clock.now(),
      program: null,
      keyGeneration: 1,
      previousKeyValid: false,
      paused: false,
      ...(via === undefined ? {} : { via }),
    }
    if (via === undefined) keyFiles.write(id, keyOf(client, 1))
    return save(client)
  }

  return {
    list: (): ClientInfo[] => rows.list('client').map(({ body }) => info(body as Client)),
    get,
    register,

    /** The command line exists from the first start. */
    ensureCommandLine(): void {
      const refused = rows.refused.some(({ kind, id }) => kind === 'client' && id === CLI_CLIENT_ID)
      if (get(CLI_CLIENT_ID) === null && !refused && policies.get(DEFAULT_POLICY.name) !== null)
        register(CLI_CLIENT_ID, 'Command line', DEFAULT_POLICY.name)
    },

    /**
     * At start: every registration has the key its bridge looks for, and nobody else has one. A crash between key and row leaves
     * the two apart, and a client with the wrong key would be locked out.
     */
    settleKeys(): void {
      const keyed = rows
        .list('client')
        .map(({ body }) => body as Client)
        .filter(({ via, keyless }) => via !== 'http' && keyless !== true)
      for (const client of keyed) {
        const key = keyOf(client, client.keyGeneration)
        if (!keyFiles.holds(client.id, key)) keyFiles.write(client.id, key)
      }
      // Where rows were tampered with, a key may belong to one that a person will want back.
      if (rows.intact && rows.refused.length === 0) keyFiles.keepOnly(keyed.map(({ id }) => id))
    },

    /** Registrations that came with a backup have no key here yet. */
    writeKeys(ids: readonly string[]): void {
      for (const client of ids.map(known)) keyFiles.write(client.id, keyOf(client, client.keyGeneration))
    },

    bind(id: string, policy: string): ClientInfo {
      requirePolicy(policy)
      return save({ ...known(id), policy })
    },

    pause: (id: string, paused: boolean): ClientInfo => save({ ...known(id), paused }),

    /** A new key; the one before stays good until the new one has been used. */
    rotate(id: string): ClientInfo {
      const client = known(id)
      if (client.via === 'http') throw new Refusal(`'${id}' has a token, not a key; rotate that`)
      const generation = client.keyGeneration + 1
      keyFiles.write(id, keyOf(client, generation))
      const { keyless = false, ...keyed } = client
      return save({ ...keyed, keyGeneration: generation, previousKeyValid: !keyless })
    },

    revoke(id: string): void {
      known(id)
      rows.remove('client', id)
      keyFiles.remove(id)
    },

    forgetProgram: (id: string): ClientInfo => save({ ...known(id), program: null }),

    /** The keys a connection may prove, newest first; null for nobody we know. */
    keysOf(id: string): { generation: number; key: Buffer }[] | null {
      const client = get(id)
      if (client === null || client.via === 'http' || client.keyless === true) return null
      const generations = client.previousKeyValid ? [client.keyGeneration, client.keyGeneration - 1] : [client.keyGeneration]
      return generations.map((generation) => ({ generation, key: keyOf(client, generation) }))
    },

    proved(id: string, generation: number): void {
      const client = get(id)
      if (client !== null && client.previousKeyValid && generation === client.keyGeneration) save({ ...client, previousKeyValid: false })
    },

    /** The program that becomes the one we expect when a person allows a call of this caller; null when one is expected already. */
    programToLearn({ clientId, program = null }: Caller): string | null {
      const client = get(clientId)
      return client === null || client.program !== null ? null : program
    },

    learnProgram(id: string, program: string): void {
      const client = get(id)
      if (client !== null && client.program === null) save({ ...client, program })
    },

    /** The policy that binds a caller; an unregistered one is bound to `default`, one whose row is gone or refused to none at all. */
    policyOf: (id: string): string => get(id)?.policy ?? (CLIENT_ID.test(id) ? NO_POLICY : DEFAULT_POLICY.name),
    isPaused: (id: string): boolean => get(id)?.paused ?? false,
    boundTo: (policy: string): string[] =>
      rows
        .list('client')
        .map(({ body }) => body as Client)
        .filter((client) => client.policy === policy)
        .map(({ id }) => id),

    /** Before this start; what was seen since counts more. */
    wasSeen(id: string, wall: number): void {
      if (!lastSeen.has(id)) lastSeen.set(id, wall)
    },
    seen(id: string): void {
      lastSeen.set(id, clock.now())
    },
    connected(id: string): void {
      lastSeen.set(id, clock.now())
      connections.set(id, (connections.get(id) ?? 0) + 1)
    },
    disconnected(id: string): void {
      lastSeen.set(id, clock.now())
      connections.set(id, Math.max(0, (connections.get(id) ?? 1) - 1))
    },
  }
}
