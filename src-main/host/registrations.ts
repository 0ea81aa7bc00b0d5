// What the host asks of the part that knows the AI clients' own files, and what it lends it. The host itself reads none of them.

import type { JsonValue } from '../../src-shared/audit.ts'
import type { FilePreview, PlaintextFinding, RegistrationAct, RegistrationInfo, TrialReport } from '../../src-shared/registration.ts'
import type { HostStatus } from '../../src-shared/rpc.ts'
import type { Clients } from './clients.ts'
import { Refusal } from './errors.ts'
import type { Clock } from './ports.ts'

export interface Registrations {
  list: () => Promise<RegistrationInfo[]>
  /** What an act would do, file by file. Changes nothing. */
  preview: (client: string, act: RegistrationAct) => FilePreview[]
  /** Its key, its policy, and our entry in its files. */
  add: (client: string, policy: string) => Promise<RegistrationInfo>
  repair: (client: string) => Promise<RegistrationInfo>
  remove: (client: string) => Promise<RegistrationInfo>
  /** Back to the bytes from before an edit, where nobody has changed the file since. */
  undo: (backup: string) => Promise<RegistrationInfo>
  /** Starts the registered command as the client would, and speaks to it. */
  test: (client: string) => Promise<TrialReport>
  scan: () => PlaintextFinding[]
  alarms: () => HostStatus['alarms']
  /** False when it is not one of ours. */
  acknowledge: (alarm: string) => boolean
  close: () => Promise<void>
}

export interface RegistrationHooks {
  folder: string
  /** Seals the backups, and nothing else. */
  key: Buffer
  clock: Clock
  /** Rows of ours, in which edits are noticed. */
  ledger: {
    list: () => { id: string; body: unknown }[]
    get: (id: string) => unknown
    put: (id: string, body: unknown) => void
    remove: (id: string) => void
  }
  clients: Pick<Clients, 'get' | 'register' | 'bind' | 'rotate'>
  /** Takes the key, the grants and the open connections. */
  revoke: (client: string) => Promise<void>
  /** On disk when it resolves. */
  record: (event: string, client: string, detail: Record<string, JsonValue>) => Promise<void>
  changed: () => void
  /** For what is nobody's fault but ours. */
  reportBug: (error: unknown) => void
}

export type OpenRegistrations = (hooks: RegistrationHooks) => Registrations

const unavailable = (): never => {
  throw new Refusal('This Countersign was started without the part that edits the files of AI clients')
}

export const noRegistrations: Registrations = {
  list: async () => [],
  preview: unavailable,
  add: unavailable,
  repair: unavailable,
  remove: unavailable,
  undo: unavailable,
  test: unavailable,
  scan: () => [],
  alarms: () => [],
  acknowledge: () => false,
  close: async () => {},
}
