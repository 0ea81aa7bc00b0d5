// A host, the person at its page, and registered clients with a bridge each: what most stories begin with.

import { DEFAULT_POLICY, type Policy } from '../../src-shared/policy.ts'
import { startBridge, type RunningBridge } from './bridge.ts'
import { startHost, type Person, type RunningHost, type StartOptions } from './host.ts'

export interface Desk extends RunningHost {
  person: () => Promise<Person>
  /** The one who is logged in already. */
  someone: Person
  /** Registers a client and starts its bridge; `policy` is made for it alone, from `default` and what is given. */
  client: (id: string, policy?: Partial<Policy>) => Promise<RunningBridge>
  /** Puts secrets into the vault without asking anybody: the person's own. */
  put: (secrets: Record<string, string>) => Promise<void>
}

export async function openDesk(options: StartOptions = {}): Promise<Desk> {
  const host = await startHost(options)
  const someone = await host.person()
  return {
    ...host,
    someone,
    async client(id, policy) {
      const name = policy === undefined ? DEFAULT_POLICY.name : (policy.name ?? id)
      if (policy !== undefined) await someone.ask('policies.save', { ...DEFAULT_POLICY, ...policy, name })
      await someone.ask('clients.register', { id, name: id, policy: name })
      const bridge = startBridge({ home: host.home, client: id })
      await bridge.initialize()
      return bridge
    },
    async put(secrets) {
      for (const [name, value] of Object.entries(secrets)) await someone.ask('secrets.store', { name, value })
    },
  }
}

/** The result of a tool that failed: this text and nothing else. */
export const failing = (text: string) => ({ content: [{ type: 'text', text: `Error: ${text}` }], isError: true })
/** The result of a tool that did what was asked, where structured content is part of it. */
export const saying = (text: string, structuredContent?: object) => ({
  content: [{ type: 'text', text }],
  ...(structuredContent === undefined ? {} : { structuredContent }),
})

/** Calls a tool and returns its whole result. */
export async function resultOf(bridge: RunningBridge, tool: string, args?: unknown): Promise<unknown> {
  const { result, error } = await bridge.request('tools/call', { name: tool, arguments: args })
  return result ?? error
}
