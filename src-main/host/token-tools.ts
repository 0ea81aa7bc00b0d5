// What the command line may ask about tokens. All but the list ask a person: an agent with a shell must not give itself a way in.

import { texts } from '../../src-shared/texts.ts'
import type { Request } from './call.ts'
import { Refusal } from './errors.ts'
import type { Policies } from './policies.ts'
import type { Detail } from './record.ts'
import type { MadeToken, Tokens } from './tokens.ts'
import { failure, success, type ToolResult } from './tool-result.ts'

export type TokenRequest = Extract<Request, { tool: 'list_tokens' | 'add_token' | 'rotate_token' | 'revoke_token' }>

export interface TokenToolParts {
  tokens: Tokens
  policies: Policies
  isTaken: (clientId: string) => boolean
  /** Ends everything the client has: its token, its grants, its open questions, its streams. */
  revoke: (clientId: string) => Promise<void>
  changed: () => void
}

export function createTokenTools({ tokens, policies, isTaken, revoke, changed }: TokenToolParts) {
  const made = ({ client, token }: MadeToken): ToolResult => {
    changed()
    const { id, name, policy, tokenEnd = null } = client
    return success(token, { client: id, name, policy, token, end: tokenEnd }, { token: id })
  }

  const refused = (request: TokenRequest): ToolResult | null => {
    switch (request.tool) {
      case 'list_tokens':
        return null
      case 'add_token':
        if (isTaken(request.client)) return failure(texts.clientExists(request.client), 'denied', { reason: 'exists' })
        if (policies.get(request.policy) === null) return failure(texts.policyNotFound(request.policy), 'denied', { reason: 'not found' })
        return null
      case 'rotate_token':
      case 'revoke_token':
        return tokens.list().some(({ id }) => id === request.client)
          ? null
          : failure(texts.tokenNotFound(request.client), 'denied', { reason: 'not found' })
    }
  }

  const run = async (request: TokenRequest): Promise<ToolResult> => {
    switch (request.tool) {
      case 'list_tokens': {
        const list = tokens.list().map(({ id, name, policy, created, lastSeen, paused, tokenEnd }) => ({
          client: id,
          name,
          policy,
          created,
          lastSeen,
          paused,
          end: tokenEnd ?? null,
        }))
        return success(JSON.stringify(list.map(({ client }) => client)), { tokens: list }, { count: list.length })
      }
      case 'add_token':
        return made(tokens.add(request.client, request.title, request.policy, request.days))
      case 'rotate_token':
        return made(tokens.rotate(request.client, request.days))
      case 'revoke_token':
        await revoke(request.client)
        changed()
        return success(`Revoked the token of '${request.client}'`, { client: request.client, revoked: true }, { token: request.client })
    }
  }

  return {
    /** What can be answered without asking anybody; looked at again when it is done. */
    refused,

    intentOf: (request: TokenRequest): { fingerprint: null; detail: Detail } | null => {
      switch (request.tool) {
        case 'list_tokens':
          return null
        case 'add_token':
          return { fingerprint: null, detail: { token: request.client, policy: request.policy, days: request.days } }
        case 'rotate_token':
          return { fingerprint: null, detail: { token: request.client, days: request.days } }
        case 'revoke_token':
          return { fingerprint: null, detail: { token: request.client } }
      }
    },

    run: async (request: TokenRequest): Promise<ToolResult> => {
      try {
        return refused(request) ?? (await run(request))
      } catch (error) {
        if (error instanceof Refusal) return failure(error.message, 'denied')
        throw error
      }
    },
  }
}
