// A home folder with AI clients in it, and registrations over it: real files, a real clock, and a ledger in memory.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { systemClock } from '../../adapters/clock.ts'
import type { RegistrationHooks, Registrations } from '../../host/registrations.ts'
import { CLIENTS, type ClientFacts } from '../facts.ts'
import { filesOf, type Surroundings } from '../places.ts'
import { registrationsWith } from '../registrations.ts'
import { LAUNCH, STRANGER } from './fixtures.ts'

export interface World {
  home: string
  /** Countersign's own folder. */
  folder: string
  around: Surroundings
  registrations: Registrations
  events: { event: string; client: string; detail: unknown }[]
  revoked: string[]
  /** As the person does it on the page, without touching the client's file. */
  register: (id: string) => void
  revoke: (id: string) => void
  ledger: Map<string, unknown>
  /** The client's file, in folders that exist. */
  install: (id: string) => string
  facts: (id: string) => ClientFacts
  /** Another host over the same files and the same memory. */
  reopen: () => Promise<Registrations>
}

export function openWorld(): World {
  const root = mkdtempSync(path.join(tmpdir(), 'countersign-clients-'))
  const home = path.join(root, 'home')
  const folder = path.join(root, 'data')
  for (const each of [home, folder]) mkdirSync(each, { mode: 0o700 })
  const around: Surroundings = { system: 'linux', home, env: { HOME: home, PATH: process.env['PATH'] } }
  const ledger = new Map<string, unknown>()
  const known = new Map<string, string>()
  const events: World['events'] = []
  const revoked: string[] = []
  const client = (id: string) => (known.has(id) ? { id, policy: known.get(id) } : null)
  const bind = (id: string, policy: string) => {
    known.set(id, policy)
    return client(id)
  }
  const hooks: RegistrationHooks = {
    folder,
    key: Buffer.alloc(32, 7),
    clock: systemClock,
    ledger: {
      list: () => [...ledger].map(([id, body]) => ({ id, body: structuredClone(body) })),
      get: (id) => structuredClone(ledger.get(id)) ?? null,
      put: (id, body) => void ledger.set(id, JSON.parse(JSON.stringify(body))),
      remove: (id) => void ledger.delete(id),
    },
    // Of what the host keeps of a client, id and policy are all that registrations look at.
    clients: {
      get: client,
      register: (id: string, _: string, policy: string) => bind(id, policy),
      bind,
    } as unknown as RegistrationHooks['clients'],
    revoke: async (id) => {
      known.delete(id)
      revoked.push(id)
    },
    record: async (event, id, detail) => void events.push({ event, client: id, detail }),
    changed: () => {},
    reportBug: (error) => {
      throw error
    },
  }
  const facts = (id: string): ClientFacts => {
    const found = CLIENTS.find((each) => each.id === id)
    if (found === undefined) throw new Error(`no client ${id}`)
    return found
  }
  const open = registrationsWith({ around, launch: (id) => (id === null ? STRANGER : LAUNCH) })
  let registrations = open(hooks)
  onTestFinished(async () => {
    await registrations.close()
    rmSync(root, { recursive: true, force: true })
  })
  return {
    home,
    folder,
    around,
    get registrations() {
      return registrations
    },
    events,
    revoked,
    register: (id) => void known.set(id, 'default'),
    revoke: (id) => void known.delete(id),
    ledger,
    facts,
    install: (id) => {
      const [first] = facts(id).places.linux.flat()
      if (first === undefined) throw new Error(`no place for ${id}`)
      const file = path.join(home, first.replace('{home}/', '').replace('{config}/', '.config/'))
      mkdirSync(path.dirname(file), { recursive: true })
      if (facts(id).marker !== undefined) mkdirSync(path.join(home, '.claude'), { recursive: true })
      const [chosen] = filesOf(facts(id), around)
      if (chosen !== file) throw new Error(`${id} is looked for at ${chosen}, not ${file}`)
      return file
    },
    reopen: async () => {
      await registrations.close()
      registrations = open(hooks)
      return registrations
    },
  }
}

export async function until(what: string, holds: () => boolean | Promise<boolean>, ms = 10_000): Promise<void> {
  const deadline = performance.now() + ms
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
