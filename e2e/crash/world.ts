// One host's folder, its person and the bridges that talk to it, over many kills.

import type { ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { serviceName } from '../../src-main/adapters/paths.ts'
import { createSealedVault } from '../../src-main/adapters/sealed-vault.ts'
import { deriveKey, newKdfParams, open, seal, type KdfParams } from '../../src-main/host/sealing.ts'
import { startBridge, type RunningBridge } from '../support/bridge.ts'
import { dist, startHost, type Person, type RunningHost } from '../support/host.ts'
import { createChecker, type Checker, type Place } from '../support/invariants.ts'
import { configFile, FOREIGN } from './config.ts'
import { SEATS } from './plan.ts'
import { openDisk, type Disk } from './power-loss.ts'
import { newWitness, type Witness } from './witness.ts'

export interface WorldOptions {
  store: 'keychain' | 'sealed'
  powerLoss: boolean
  /** The folder of the built programs. */
  programs?: string
}

export interface World extends Place {
  bridges: RunningBridge[]
  witness: Witness
  checker: Checker
  disk: Disk | null
  start: (faultPoint: string | null, spawned?: (child: ChildProcess) => void) => Promise<{ host: RunningHost; person: Person }>
  /** A new one in the place of one that was killed. */
  seat: (index: number) => void
  close: () => Promise<void>
}

const MEMORY = '/dev/shm'
const PASSPHRASE = 'correct horse battery'

export async function createWorld({ store, powerLoss, programs = dist }: WorldOptions): Promise<World> {
  // A disk that loses what was not synced is played; where it lies makes it only slower or faster.
  const folder = mkdtempSync(path.join(powerLoss && existsSync(MEMORY) ? MEMORY : tmpdir(), 'countersign-crash-'))
  const root = path.join(folder, 'disk')
  const [data, home, passphrase] = [path.join(root, 'data'), path.join(root, 'home'), path.join(folder, 'passphrase')]
  for (const one of [data, home]) mkdirSync(one, { recursive: true, mode: 0o700 })
  mkdirSync(path.dirname(configFile(home)))
  writeFileSync(configFile(home), JSON.stringify(FOREIGN, null, 2))
  writeFileSync(passphrase, PASSPHRASE, { mode: 0o600 })
  if (store === 'sealed') await sealCheaply(data)
  const disk = powerLoss ? openDisk(root) : null
  const env = { HOME: home, COUNTERSIGN_HOME: data, ...(store === 'sealed' && { COUNTERSIGN_PASSPHRASE_FILE: passphrase }), ...disk?.env }
  const endings = new Set<() => Promise<void> | void>()
  const atEnd = (work: () => Promise<void> | void) => void endings.add(work)
  const service = store === 'keychain' ? serviceName({ COUNTERSIGN_HOME: data }) : null

  const start: World['start'] = async (faultPoint, spawned) => {
    const faults = faultPoint === null ? {} : { COUNTERSIGN_FAULT_POINT: faultPoint }
    const host = await startHost({ home: data, programs, env: { ...env, ...faults }, atEnd, ...(spawned && { spawned }) })
    return { host, person: await host.person() }
  }
  const newBridge = (client: string | null): RunningBridge =>
    startBridge({ home: data, programs, atEnd, ...(client !== null && { client }) })

  const witness = newWitness()
  const { host, person } = await start(null)
  const open = { name: 'open', description: 'first', allow: ['*'], deny: [], reads: 'always' as const }
  await person.ask('policies.save', open)
  witness.config.policies.set(open.name, open.description)
  for (const id of ['alpha', 'gamma']) {
    await person.ask('clients.register', { id, name: id, policy: 'open' })
    witness.config.clients.add(id)
  }
  await host.stop()
  const bridges = SEATS.map((client) => newBridge(client))
  return {
    data,
    home,
    service,
    bridges,
    witness,
    checker: createChecker({ data, home, service }),
    disk,
    start,
    seat: (index) => {
      bridges[index] = newBridge(SEATS[index] ?? null)
    },
    close: async () => {
      for (const end of endings) await end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** What `createSealedVault` calls the key it wraps. */
const MASTER = 'countersign sealed vault master v1'

/** A passphrase that is quick to check: a host that starts ten thousand times would spend its time on nothing else. */
async function sealCheaply(data: string): Promise<void> {
  await (await createSealedVault(data, PASSPHRASE)).close()
  const db = new DatabaseSync(path.join(data, 'sealed.db'))
  const { kdf, master } = db.prepare('SELECT kdf, master FROM header').get() as { kdf: string; master: Uint8Array }
  const key = open(await deriveKey(PASSPHRASE, JSON.parse(kdf) as KdfParams), [MASTER, kdf], master)
  const cheap = JSON.stringify({ ...newKdfParams(), N: 1024 })
  const wrapped = seal(await deriveKey(PASSPHRASE, JSON.parse(cheap) as KdfParams), [MASTER, cheap], key)
  db.prepare('UPDATE header SET kdf = ?, master = ?').run(cheap, wrapped)
  db.close()
}

/** The helper of this host, if it has one now. */
export function helperOf(host: ChildProcess): number | null {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isHelperOf(name, host.pid ?? 0))
  return children[0] === undefined ? null : Number(children[0])
}

function isHelperOf(pid: string, parent: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [, owner] = status.slice(status.lastIndexOf(')') + 2).split(' ')
    return Number(owner) === parent && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('keychain-helper')
  } catch {
    return false // It has ended meanwhile.
  }
}
