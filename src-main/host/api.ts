// What each method of the contract does. Everything a person changes through a window is on record before it happens.

import type { Entry } from '../../src-shared/audit.ts'
import { CLI_CLIENT_ID, PERSON, type Caller } from '../../src-shared/client.ts'
import type { Access, HostStatus, Launch } from '../../src-shared/rpc.ts'
import { secretAlarm } from './alarms.ts'
import { createAuditApi } from './audit-api.ts'
import { createBackupApi } from './backup-api.ts'
import { newCallId } from './call.ts'
import type { Core } from './core.ts'
import { createScreensApi } from './screens-api.ts'
import type { Login } from './login.ts'
import { Refusal } from './errors.ts'
import { systemEntry } from './record.ts'
import type { Shell } from './ports.ts'
import type { Api, RpcContext } from './rpc.ts'
import { createRenaming } from './renaming.ts'
import { createShellApi } from './shell-api.ts'
import { createRegistrationsApi } from './registrations-api.ts'
import { createTokensApi } from './tokens-api.ts'
import type { Decision } from './vault/open.ts'

/** What only the running host can do, whatever state its vault is in. */
export interface HostActs {
  /** Throws with a sentence while the vault is not open. */
  core: () => Core
  status: () => HostStatus
  show: () => void
  shell: Shell | null
  launch: Launch | null
  changePin: Login['change']
  setPin: Login['set']
  lock: () => Promise<void>
  pause: (minutes: number | null) => Promise<void>
  resume: () => Promise<void>
  createVault: (passphrase: string) => Promise<void>
  unlockVault: (passphrase: string) => Promise<void>
  recoverVault: (how: Decision) => Promise<void>
  changed: (what: HostStatusPart) => void
  disconnect: (clientId: string) => void
}

type HostStatusPart = 'status' | 'settings' | 'policies' | 'clients' | 'secrets'

export function createApi(host: HostActs): Api {
  const core = host.core
  const record = (event: string, fields: Partial<Entry>) =>
    core().journal.append(systemEntry(event, { client: PERSON, approver: 'person', ...fields }))

  /** Records, acts, and tells the windows: the order for everything a person changes that is not a secret's value. */
  const changing = async <T>(what: HostStatusPart, event: string, detail: Entry['detail'], act: () => T | Promise<T>): Promise<T> => {
    await record(event, { detail })
    const result = await Promise.resolve()
      .then(act)
      .catch(async (error: unknown) => {
        await record('change.refused', { detail: { ...detail, event } })
        throw error
      })
    host.changed(what)
    if (what === 'policies' || what === 'clients') core().decisionsChanged()
    return result
  }

  /** A person's own write: intent → effect → outcome, like any client's. */
  const writing = async <T>(tool: string, name: string, intent: Partial<Entry>, effect: () => Promise<T>): Promise<T> => {
    const entry = systemEntry('call', {
      call: newCallId(),
      client: PERSON,
      approver: 'person',
      tool,
      secret: name,
      rule: 'the person',
      ...intent,
    })
    const result = await core().journal.change(entry, async () => ({ outcome: 'allowed', result: await effect() }))
    core().secretsChanged()
    return result
  }

  const storing = (name: string, value: string) => {
    const version = core().vault.nextVersion(name)
    return { fingerprint: core().vault.fingerprint(name, version, value), detail: { version } }
  }
  const existing = (name: string) => {
    const info = core().vault.info(name)
    if (info === null) throw new Refusal(`There is no secret '${name}'`, 'not found')
    return info
  }

  const rename = createRenaming({ core, record, writing })

  const reveal = async (name: string, version: number | undefined, purpose: 'show' | 'copy'): Promise<string> => {
    existing(name)
    await record('secret.revealed', { secret: name, detail: { purpose, ...(version === undefined ? {} : { version }) } })
    const value = version === undefined ? (await core().vault.get(name))?.value : await core().vault.readVersion(name, version)
    if (value === undefined) throw new Refusal(`'${name}' is missing from the keychain`, 'not found')
    return value
  }

  return {
    ...createShellApi(host.shell, { record, reveal }),
    ...createAuditApi(core),
    ...createScreensApi(host),
    ...createTokensApi({ core, changing }),
    ...createBackupApi({ core, changing }),
    ...createRegistrationsApi({ core, changing }),
    status: (_, { access }) => statusFor(host, access),
    'host.show': () => {
      host.show()
      return null
    },
    'host.lock': async () => {
      await host.lock()
      return null
    },
    'host.pause': async ({ minutes }) => {
      await record('host.paused', { detail: { minutes } })
      await host.pause(minutes)
      return null
    },
    'host.resume': async () => {
      await record('host.resumed', {})
      await host.resume()
      return null
    },
    'alarms.acknowledge': async ({ id }) => {
      await core().alarms.acknowledge(id)
      host.changed('status')
      host.changed('settings')
      return null
    },

    'vault.create': async ({ passphrase }) => {
      await host.createVault(passphrase)
      return null
    },
    'vault.unlock': async ({ passphrase }) => {
      await host.unlockVault(passphrase)
      return null
    },
    'vault.recover': async ({ how }) => {
      await host.recoverVault(how)
      return null
    },

    'approvals.list': (_, { guard }) => {
      const open = core().approvals.list()
      guard?.told(open)
      return { now: core().now(), open }
    },
    'approvals.shown': ({ id, revision, inSight }, { guard }) => ({ counted: guard?.report({ id, revision }, inSight) ?? false }),
    'approvals.answer': async ({ id, revision, answer, remember }, { guard }) => {
      // A deny always counts.
      const objection =
        answer === 'deny' ? null : guard === undefined ? 'Nothing can be allowed from here.' : guard.objection({ id, revision })
      if (objection !== null) throw new Refusal(objection)
      return { done: await core().approvals.answer(id, revision, answer, remember) }
    },
    'approvals.reveal': async ({ id }) => {
      const shown = core().approvals.value(id)
      if (shown === null) throw new Refusal('There is no value to show for this request', 'not found')
      await record('approval.revealed', { call: shown.call.id, detail: { approval: id } })
      return { value: shown.value }
    },
    'grants.list': () => core().grants.list(),
    'grants.revoke': async ({ id }) => {
      await record('grant.revoked', { detail: { grant: id } })
      if (core().grants.revoke(id) === null) throw new Refusal('There is no such grant any more', 'not found')
      host.changed('clients')
      return null
    },

    'secrets.list': () => core().vault.list(),
    'secrets.store': ({ name, value, force, tags, expires }) => {
      const current = core().vault.info(name)
      if (current !== null && !force) throw new Refusal(`Secret already exists: ${name}`, 'exists')
      const store = { name, value, by: 'you', tags, expires, expect: current?.version ?? null }
      return writing('store_secret', name, storing(name, value), () => core().vault.store(store))
    },
    'secrets.describe': ({ name, tags, expires }) => {
      existing(name)
      return changing('secrets', 'secret.described', { secret: name }, () => core().vault.describe(name, tags, expires))
    },
    'secrets.remove': async ({ name }) => {
      const { version } = existing(name)
      return { removed: await writing('remove_secret', name, { detail: { version } }, () => core().vault.remove(name, version)) }
    },
    'secrets.rename': ({ name, to }) => rename(name, to),
    'secrets.reveal': async ({ name, version, purpose }) => ({ value: await reveal(name, version, purpose) }),
    'secrets.versions': ({ name }) => core().vault.versions(name),
    'secrets.restore': async ({ name, version }) => {
      existing(name)
      const value = await core().vault.readVersion(name, version)
      const current = existing(name)
      // Nothing is stored, so nothing is recorded as a store.
      if (current.version === version) return current
      return writing('store_secret', name, storing(name, value), () => core().vault.restore(name, version, 'you'))
    },
    'secrets.forget': async ({ name }) => {
      existing(name)
      return changing('secrets', 'secret.history cleared', { secret: name }, async () => {
        await core().vault.forget(name)
        return null
      })
    },
    'secrets.adopt': ({ name }) => {
      existing(name)
      const detail = { version: core().vault.nextVersion(name), adopted: true }
      return writing('store_secret', name, { detail }, () => core().vault.adopt(name, 'you'))
    },
    'secrets.identify': ({ value }) => core().vault.identify(value),

    'policies.list': () => ({ policies: core().policies.list(), refused: core().policies.refused() }),
    'policies.save': (policy) =>
      changing('policies', 'policy.saved', { policy: policy.name, allow: policy.allow, deny: policy.deny, reads: policy.reads }, () => {
        core().policies.save(policy)
        return policy
      }),
    'policies.remove': ({ name }) => {
      const bound = core().clients.boundTo(name)
      if (bound.length > 0) throw new Refusal(`'${name}' still binds ${bound.join(', ')}; give them another policy first`)
      return changing('policies', 'policy.removed', { policy: name }, () => {
        core().policies.remove(name)
        return null
      })
    },

    'clients.list': () => core().clients.list(),
    'clients.register': ({ id, name, policy }) =>
      changing('clients', 'client.registered', { client: id, policy }, () => core().clients.register(id, name, policy)),
    'clients.bind': ({ id, policy }) => changing('clients', 'client.bound', { client: id, policy }, () => core().clients.bind(id, policy)),
    'clients.rotate': ({ id }) => changing('clients', 'client.rotated', { client: id }, () => core().clients.rotate(id)),
    'clients.revoke': ({ id }) => {
      if (id === CLI_CLIENT_ID) throw new Refusal('The command line cannot be revoked; bind it to a narrower policy or pause it')
      return changing('clients', 'client.revoked', { client: id }, async () => {
        await core().revokeClient(id)
        return null
      })
    },
    'clients.forgetProgram': ({ id }) =>
      changing('clients', 'client.program forgotten', { client: id }, () => {
        const info = core().clients.forgetProgram(id)
        // Standing is settled when a connection is made.
        host.disconnect(id)
        return info
      }),
    'clients.resume': ({ id }) =>
      changing('clients', 'client.resumed', { client: id }, () => {
        core().approvals.resume(id)
        return null
      }),
    'clients.pause': ({ id, paused }) =>
      changing('clients', paused ? 'client.paused' : 'client.resumed', { client: id }, () => core().clients.pause(id, paused)),

    'settings.get': () => core().settings.get(),
    'settings.set': (changes) =>
      // `changes` is plain JSON; undefined ones say "as it was".
      changing('settings', 'settings.changed', JSON.parse(JSON.stringify(changes)) as Entry['detail'], () => core().settings.set(changes)),

    'tools.call': ({ tool, arguments: args, says }, context) =>
      core().broker.call({
        caller: callerOf(context),
        access: context.access === 'cli' ? 'cli' : 'client',
        tool,
        arguments: args,
        says,
        signal: context.signal,
        waiting: context.waiting,
      }),
    'tools.rejected': async (report, context) => {
      await core().broker.rejected({ ...report, caller: callerOf(context) })
      return null
    },
    'resources.list': ({ cursor }, context) => core().resources.list(callerOf(context), cursor),
    'resources.read': ({ uri }, context) => core().resources.read(callerOf(context), uri),
    'names.complete': ({ what, prefix }, context) => core().resources.complete(callerOf(context), what, prefix),
  }
}

/** The contract lets only socket connections in here, and those always have a caller. */
function callerOf(context: RpcContext): Caller {
  if (context.caller === null) throw new Error('A call came through a door that has no caller')
  return context.caller
}

/** Alarms name secrets: an AI client is told none of them, the command line those its policy lets it see. */
function statusFor(host: HostActs, access: Access): HostStatus {
  const status = host.status()
  if (access === 'client') return { ...status, alarms: [], waiting: 0 }
  if (access !== 'cli' || status.state !== 'open') return status
  const seen = new Set(
    host
      .core()
      .tools.visibleNames(CLI_CLIENT_ID, null)
      .map((name) => secretAlarm(name)),
  )
  return { ...status, alarms: status.alarms.filter(({ id }) => !id.startsWith(secretAlarm('')) || seen.has(id)) }
}
