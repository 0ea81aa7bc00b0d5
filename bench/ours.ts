// Ours: the built bridge, the real host behind it, the real keychain, every call on record. The limit of calls per second is
// raised for it, in the settings, as a person could.

import path from 'node:path'
import { dist, startHost, type AtEnd, type Person, type RunningHost, type StartOptions } from '../e2e/support/host.ts'
import type { Program } from './peers.ts'

const CLIENT = 'bench'
export const VISIBLE = ['bench/1', 'bench/2', 'bench/3', 'bench/4', 'bench/5']
export const GET = { name: 'get_secret', arguments: { name: VISIBLE[2] } }
export const LIST = { name: 'list_secrets', arguments: {} }

export interface Ours {
  host: RunningHost
  person: Person
  program: Program
}

/** A host with five secrets that its one client may read without anybody being asked. */
export async function openOurs(atEnd: AtEnd, options: StartOptions = {}): Promise<Ours> {
  const host = await startHost({ atEnd, ...options })
  const person = await host.person()
  await person.ask('settings.set', { callsPerSecond: 100_000, callBurst: 100_000, callsInFlight: 10_000 })
  await person.ask('policies.save', { name: 'bench', description: '', allow: ['bench/*'], deny: [], reads: 'always' })
  for (const name of VISIBLE) await person.ask('secrets.store', { name, value: `the value of ${name}` })
  await person.ask('clients.register', { id: CLIENT, name: CLIENT, policy: 'bench' })
  return { host, person, program: bridgeTo(host.home) }
}

/** Our bridge, for a host that runs or for one that does not and is not to be started either. */
export function bridgeTo(home: string, title = 'Countersign'): Program {
  return {
    id: 'ours',
    title,
    command: process.execPath,
    args: [path.join(dist, 'bridge.js'), '--client', CLIENT],
    env: { COUNTERSIGN_HOME: home, COUNTERSIGN_NO_START: '1' },
    call: LIST,
    discovers: true,
    folder: null,
  }
}
