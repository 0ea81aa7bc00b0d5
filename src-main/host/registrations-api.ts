// The windows' side of registrations: each change is on record before it happens, and says what went wrong when it does.

import type { Entry } from '../../src-shared/audit.ts'
import type { Core } from './core.ts'
import type { Api } from './rpc.ts'

interface Acts {
  core: () => Core
  /** Records, acts, and tells the windows. */
  changing: <T>(what: 'clients', event: string, detail: Entry['detail'], act: () => Promise<T>) => Promise<T>
}

export function createRegistrationsApi({ core, changing }: Acts) {
  const act = <T>(event: string, detail: Entry['detail'], run: () => Promise<T>) => changing('clients', event, detail, run)
  return {
    'registrations.list': () => core().registrations.list(),
    'registrations.preview': ({ client, act }) => core().registrations.preview(client, act),
    'registrations.add': ({ client, policy }) =>
      act('registration.added', { client, policy }, () => core().registrations.add(client, policy)),
    'registrations.repair': ({ client }) => act('registration.repaired', { client }, () => core().registrations.repair(client)),
    'registrations.remove': ({ client }) => act('registration.removed', { client }, () => core().registrations.remove(client)),
    'registrations.undo': ({ backup }) => act('registration.undone', { backup }, () => core().registrations.undo(backup)),
    'registrations.test': ({ client }) => core().registrations.test(client),
    'registrations.scan': () => core().registrations.scan(),
  } satisfies Partial<Api>
}
