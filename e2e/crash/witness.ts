// What was seen from outside while programs were being killed: every call with its answer, every decision, every edit. The checker
// holds it against what the next host finds.

import type { CallStep, Edit } from './plan.ts'

export interface Sent extends CallStep {
  client: string | null
  /** null while there is none: the bridge was killed before it came. */
  answer: string | null
}

/** What the person has been told is set. */
export interface Config {
  /** Descriptions by name; each edit has one of its own. */
  policies: Map<string, string>
  /** Ids. */
  clients: Set<string>
  waitSeconds: number
  /** Our entry in the config file of an AI client; `doubt` after an edit that was cut short. */
  registered: 'in' | 'out' | 'doubt'
}

export interface Witness {
  calls: Map<string, Sent>
  /** Answers that were taken, by approval and call. */
  decisions: Map<string, ('allow' | 'deny')[]>
  config: Config
  /** The edit that the kill cut short: it may have happened or not. */
  doubt: Edit | null
  /** Values the person was told are stored, by name and version. */
  own: Map<string, string>
  /** How often the person was told that a name is gone. */
  ownRemovals: Map<string, number>
}

export function newWitness(): Witness {
  return {
    calls: new Map(),
    decisions: new Map(),
    config: { policies: new Map(), clients: new Set(), waitSeconds: 25, registered: 'out' },
    doubt: null,
    own: new Map(),
    ownRemovals: new Map(),
  }
}

/** What the settings are once this edit has been made. */
export function edited(before: Config, edit: Edit): Config {
  const config: Config = { ...before, policies: new Map(before.policies), clients: new Set(before.clients) }
  switch (edit.is) {
    case 'policy':
      config.policies.set(edit.name, edit.description)
      return config
    case 'no policy':
      config.policies.delete(edit.name)
      return config
    case 'client':
      config.clients.add(edit.id)
      return config
    case 'no client':
      config.clients.delete(edit.id)
      return config
    case 'settings':
      return { ...config, waitSeconds: edit.waitSeconds }
    case 'registration':
      return { ...config, registered: 'in' }
    case 'no registration':
      return { ...config, registered: 'out' }
    case 'rotate':
    case 'store':
    case 'remove':
      return config
  }
}
