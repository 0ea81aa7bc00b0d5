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

export function createResources(parts: { vault: Vault; policies: Policies; clients: Clients; audit: Audit; tools: Tools }) {
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
    if (!isSecretName(name) || !tools.visibleNames(caller.clientId, null).includes(name)) return null
    const info = vault.info(name)
    return info === null ? null : JSON.stringify(info)
  }
  const readPolicy = (caller: Caller, name: string): string | null =>
    ownPolicies(caller).includes(name) ? JSON.stringify(policies.get(name)) : null

  const readCall = async (caller: Caller, text: string): Promise<string | null> => {
    // Callers without a registration cannot be told from one another later, so none of them may read back.
    if (!/^[1-9][0-9]{0,14}$/.test(text) || !CLIENT_ID.test(caller.clientId)) return null
    const story = await audit.story(Number(text))
    return story.length > 0 && story.every(({ client }) => client === caller.clientId) ? JSON.stringify(story) : null
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

    async read(caller: Caller, uri: string): Promise<{ text: string } | null> {
      const match = /^countersign:\/\/(secrets|policies|audit)\/([^/?#]+)$/.exec(uri)
      const [, kind, encoded] = match ?? []
      const name = encoded === undefined ? null : decoded(encoded)
      if (name === null) return null
      const text =
        kind === 'secrets' ? readSecret(caller, name) : kind === 'policies' ? readPolicy(caller, name) : await readCall(caller, name)
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
