// What a client may read about: metadata of the secrets it sees, its own policy, and its own calls. Never a value.

import type { ResourceInfo } from '../../src-shared/rpc.ts'
import { CLIENT_ID, type Caller } from '../../src-shared/client.ts'
import { isSecretName } from '../../src-shared/names.ts'
import type { Audit } from './audit/audit.ts'
import type { Clients } from './clients.ts'
import { Refusal } from './errors.ts'
import type { Policies } from './policies.ts'
import type { Tools } from './tools.ts'
import type { Vault } from './vault/vault.ts'

const PAGE = 100

export interface ResourceParts {
  vault: Vault
  policies: Policies
  clients: Clients
  audit: Audit
  tools: Tools
}

/** What a URI names; only names that a secret may have, and entries there may be. */
export type Target = { kind: 'secret' | 'policy'; name: string } | { kind: 'audit'; seq: number }

export function targetOf(uri: string): Target | null {
  const [, kind, encoded] = /^countersign:\/\/(secrets|policies|audit)\/([^/?#]+)$/.exec(uri) ?? []
  const name = encoded === undefined ? null : decoded(encoded)
  if (name === null) return null
  if (kind === 'policies') return { kind: 'policy', name }
  if (kind === 'secrets') return isSecretName(name) ? { kind: 'secret', name } : null
  return /^[1-9][0-9]{0,14}$/.test(name) ? { kind: 'audit', seq: Number(name) } : null
}

export function createResources(parts: ResourceParts) {
  const { vault, policies, clients, audit, tools } = parts

  const all = (caller: Caller): ResourceInfo[] => [
    ...ownPolicies(caller).map((name) => ({
      uri: `countersign://policies/${encodeURIComponent(name)}`,
      name,
      description: 'The policy that binds this client',
    })),
    ...tools.visibleNames(caller.clientId, null).map((name) => ({
      uri: `countersign://secrets/${encodeURIComponent(name)}`,
      name,
      description: 'What is known about this secret, without its value',
    })),
  ]
  const ownPolicies = (caller: Caller): string[] => [clients.policyOf(caller.clientId)].filter((name) => policies.get(name) !== null)

  const readSecret = (caller: Caller, name: string): string | null => {
    if (!tools.visibleNames(caller.clientId, null).includes(name)) return null
    const info = vault.info(name)
    return info === null ? null : JSON.stringify(info)
  }
  const readPolicy = (caller: Caller, name: string): string | null =>
    ownPolicies(caller).includes(name) ? JSON.stringify(policies.get(name)) : null

  const readCall = async (caller: Caller, seq: number): Promise<string | null> => {
    // Callers without a registration cannot be told from one another later, so none of them may read back.
    if (!CLIENT_ID.test(caller.clientId)) return null
    const story = await audit.story(seq)
    return story.length > 0 && story.every(({ client }) => client === caller.clientId) ? JSON.stringify(story) : null
  }

  const textOf = (caller: Caller, target: Target): string | null | Promise<string | null> => {
    switch (target.kind) {
      case 'secret':
        return readSecret(caller, target.name)
      case 'policy':
        return readPolicy(caller, target.name)
      case 'audit':
        return readCall(caller, target.seq)
    }
  }

  return {
    list(caller: Caller, cursor: string | null): { resources: ResourceInfo[]; next: string | null } {
      const sorted = all(caller).toSorted((a, b) => (a.uri < b.uri ? -1 : 1))
      const after = cursor === null ? '' : afterOf(cursor)
      const page = sorted.filter(({ uri }) => uri > after).slice(0, PAGE)
      const last = page.at(-1)
      const more = last !== undefined && sorted.at(-1) !== last
      return { resources: page, next: more ? Buffer.from(last.uri).toString('base64url') : null }
    },

    async read(caller: Caller, target: Target): Promise<{ text: string } | null> {
      const text = await textOf(caller, target)
      return text === null ? null : { text }
    },

    complete(caller: Caller, what: 'secret' | 'policy', prefix: string): { values: string[]; total: number } {
      const names = what === 'secret' ? tools.visibleNames(caller.clientId, null) : ownPolicies(caller)
      const fitting = names.filter((name) => name.startsWith(prefix))
      return { values: fitting.slice(0, 100), total: fitting.length }
    },
  }
}

function afterOf(cursor: string): string {
  const uri = Buffer.from(cursor, 'base64url').toString()
  if (!uri.startsWith('countersign://')) throw new Refusal('This cursor is not one of ours', 'bad params')
  return uri
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
