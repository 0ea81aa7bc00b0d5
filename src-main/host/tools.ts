// What each tool does once it may. Pure lookups come first (`answerEarly`), effects last (`run`); deciding, asking and recording
// are the broker's.

import { decide, ruleText } from '../../src-shared/decide.ts'
import type { SecretInfo } from '../../src-shared/secret.ts'
import { texts } from '../../src-shared/texts.ts'
import type { Backup } from './backup.ts'
import { importDetail, planId } from './backup-plan.ts'
import type { Call, Request } from './call.ts'
import type { Clients } from './clients.ts'
import type { Policies } from './policies.ts'
import type { Detail } from './record.ts'
import { createRegistrationTools } from './registration-tools.ts'
import type { Registrations } from './registrations.ts'
import { createTokenTools, type TokenToolParts } from './token-tools.ts'
import { failure, success, type ToolResult } from './tool-result.ts'
import type { Vault } from './vault/vault.ts'
import { createVisibleNames } from './visible-names.ts'

export interface ToolParts {
  vault: Vault
  policies: Policies
  clients: Clients
  backup: Backup
  tokens: TokenToolParts
  registrations: Registrations
}

export type Tools = ReturnType<typeof createTools>

export function createTools({ vault, policies, clients, backup, tokens, registrations }: ToolParts) {
  const tokenTools = createTokenTools(tokens)
  const registrationTools = createRegistrationTools({ registrations, policies })

  const visible = createVisibleNames({ vault, policies, clients })

  const list = (call: Call, scope: string | null): ToolResult => {
    if (scope !== null && policies.get(scope) === null) return failure(texts.policyNotFound(scope), 'denied')
    const { names, json } = visible(call.caller.clientId, scope)
    return success(json, { names }, { count: names.length })
  }

  const testPolicy = (call: Call, scope: string, secret: string): ToolResult => {
    const policy = policies.get(scope)
    if (policy === null) return failure(texts.policyNotFound(scope), 'denied')
    const question = { clientId: call.caller.clientId, act: 'read', tool: 'get_secret', secret, verified: null, digest: null } as const
    const verdict = decide(question, scope, policy, [], 0)
    const allowed = verdict.kind !== 'deny'
    // A rule quotes a pattern, and those of other policies are not the client's to read: it gets none of them as a resource either.
    const isOwn = scope === clients.policyOf(call.caller.clientId)
    return success(allowed ? 'allowed' : 'denied', isOwn ? { allowed, rule: ruleText(verdict.rule) } : { allowed }, { scope })
  }

  return {
    visibleNames: (clientId: string, scope: string | null): readonly string[] => visible(clientId, scope).names,

    /** What can be answered from the list of names alone, without asking anybody. Checked again at commit. */
    answerEarly(request: Request): ToolResult | null {
      if (request.tool === 'get_secret' && vault.info(request.name) === null) {
        return failure(texts.secretNotFound(request.name), 'denied', { reason: 'not found' })
      }
      if (request.tool === 'store_secret' && !request.force && vault.info(request.name) !== null) {
        return failure(texts.alreadyExists(request.name), 'denied', { reason: 'exists' })
      }
      if (request.tool === 'remove_secret' && vault.info(request.name) === null) {
        return success(texts.nothingToRemove(request.name), { name: request.name, removed: false }, { reason: 'not found' })
      }
      if (request.tool === 'add_token' || request.tool === 'rotate_token' || request.tool === 'revoke_token') {
        return tokenTools.refused(request)
      }
      if ('app' in request) return registrationTools.refused(request)
      return null
    },

    /** Finds out what an import would change, so that it can be shown before anybody is asked. */
    async planned(request: Extract<Request, { tool: 'import_backup' }>): Promise<Request> {
      const plan = await backup.plan(request.path, request.passphrase, request.withKeys)
      return Object.freeze({ ...request, plan })
    },

    /** What a person has to know about a file before allowing that it is changed. */
    warning: (request: Request): string | null => ('app' in request ? registrationTools.warning(request) : null),

    /** The secret a call is about, as it stands now; null when there is none. */
    subject(request: Request): SecretInfo | null {
      return 'name' in request ? vault.info(request.name) : null
    },

    /** What a write is about to do, in terms that may stand in the log and that recovery can check. Null for reads. */
    intentOf(request: Request, version: number | null): { fingerprint: string | null; detail: Detail } | null {
      switch (request.tool) {
        case 'store_secret': {
          const next = vault.nextVersion(request.name)
          return { fingerprint: vault.fingerprint(request.name, next, request.value), detail: { version: next, replaces: version } }
        }
        case 'remove_secret':
          return { fingerprint: null, detail: { version } }
        case 'export_backup':
        case 'import_backup':
          return { fingerprint: null, detail: importDetail(request) }
        case 'list_tokens':
        case 'add_token':
        case 'rotate_token':
        case 'revoke_token':
          return tokenTools.intentOf(request)
        case 'add_client':
        case 'repair_client':
        case 'remove_client':
          return registrationTools.intentOf(request)
        case 'get_secret':
        case 'list_secrets':
        case 'test_policy':
        case 'practice':
          return null
      }
    },

    /** `version` is what the person saw; if it is not current any more, nothing happens. */
    async run(call: Call, version: number | null): Promise<ToolResult> {
      const { request } = call
      switch (request.tool) {
        case 'get_secret': {
          const found = await vault.get(request.name)
          if (found === null) return failure(texts.secretNotFound(request.name), 'denied', { reason: 'not found' })
          vault.touch(request.name)
          return success(found.value, null, { version: found.version })
        }
        case 'list_secrets':
          return list(call, request.scope)
        case 'store_secret': {
          const stored = await vault.store({ name: request.name, value: request.value, by: call.caller.clientName, expect: version })
          return success(texts.stored(request.name), { name: request.name, version: stored.version }, { version: stored.version })
        }
        case 'remove_secret':
          return (await vault.remove(request.name, version))
            ? success(texts.removed(request.name), { name: request.name, removed: true })
            : success(texts.nothingToRemove(request.name), { name: request.name, removed: false }, { reason: 'not found' })
        case 'test_policy':
          return testPolicy(call, request.scope, request.secretName)
        case 'list_tokens':
        case 'add_token':
        case 'rotate_token':
        case 'revoke_token':
          return tokenTools.run(request)
        case 'add_client':
        case 'repair_client':
        case 'remove_client':
          return registrationTools.run(request)
        case 'practice':
          return success('You allowed it', {})
        case 'export_backup': {
          const { secrets } = await backup.exportTo(request.path, request.passphrase)
          return success(`Backed up ${secrets} secrets`, { secrets })
        }
        case 'import_backup': {
          const { path, passphrase, withKeys, plan } = request
          if (plan === null) throw new Error('An import came to be done without having been shown')
          const agreed = { id: planId(plan), sha256: plan.sha256, withKeys }
          const { secrets, policies: count } = await backup.importFrom(path, passphrase, call.caller.clientName, agreed)
          return success(`Restored ${secrets} secrets and ${count} policies`, { secrets, policies: count })
        }
      }
    },
  }
}
