// What every shell does alike: find the folder, put the ports together, and open the one host of that folder.

import { homedir } from 'node:os'
import path from 'node:path'
import { systemClock } from '../adapters/clock.ts'
import { forbidCoreFiles, leaveNoMemoryBehind } from '../adapters/core-dumps.ts'
import { openKeyFiles } from '../adapters/key-files.ts'
import { openKeytarKeychain, type KeytarOptions } from '../adapters/keytar-keychain.ts'
import { acquireLock } from '../adapters/lock.ts'
import { dataFolder, prepareFolder, serviceName, socketPath, type Env } from '../adapters/paths.ts'
import { readPassphraseFile } from '../adapters/passphrase-file.ts'
import { inspectPeer } from '../adapters/processes.ts'
import { newEnoughNode } from '../adapters/start-command.ts'
import { createSealedVault, sealedVaultExists, unlockSealedVault } from '../adapters/sealed-vault.ts'
import type { Launch } from '../../src-shared/rpc.ts'
import { launchFor } from '../clients/facts.ts'
import { systemOf } from '../clients/places.ts'
import { registrationsWith } from '../clients/registrations.ts'
import { createHost, type Host } from '../host/host.ts'
import type { Shell } from '../host/ports.ts'
import { connectHost } from '../link/connect.ts'
import { VERSION } from '../version.ts'
import { reportBug } from './report-bug.ts'

export interface Place {
  folder: string
  socket: string
}

/** Our folder, made if need be. Throws with a sentence where it cannot be trusted. */
export function preparePlace(env: Env): Place {
  // Whatever we forget to set the mode of stays private.
  process.umask(0o077)
  leaveNoMemoryBehind()
  void forbidCoreFiles()
  const folder = dataFolder(env)
  prepareFolder(folder)
  return { folder, socket: socketPath(folder) }
}

export interface HostParts {
  /** The folder of the built programs. */
  programs: string
  env: Env
  /** What the person decided about a damaged vault, by how they started us. */
  recover: 'daily copy' | 'as it is' | null
  show: () => void
  /** The program that AI clients start, where it is not Node with our script. */
  bridge?: string
  /** What this shell can do beside the host. */
  shell?: Shell
  /** How the keychain helper is started where Node's fork does not serve. */
  forkKeychain?: NonNullable<KeytarOptions['fork']>
  faultPoint?: (name: string) => void
}

/** Null when another host has the folder. */
export function openHost({ folder, socket }: Place, parts: HostParts): Promise<Host | null> {
  const { programs, env, recover, show, shell, forkKeychain, faultPoint } = parts
  const keytar: KeytarOptions = {
    service: serviceName(env),
    helperPath: path.join(programs, 'keychain-helper.js'),
    ...(forkKeychain === undefined ? {} : { fork: forkKeychain }),
  }
  return createHost(
    {
      clock: systemClock,
      openKeychain: (known) => openKeytarKeychain(keytar, { known }),
      sealed: {
        exists: () => sealedVaultExists(folder),
        create: (passphrase) => createSealedVault(folder, passphrase),
        unlock: (passphrase) => unlockSealedVault(folder, passphrase),
      },
      keyFiles: openKeyFiles(folder),
      lock: () => acquireLock(folder),
      inspect: inspectPeer,
      openRegistrations: registrationsWith({
        around: { system: systemOf(process.platform), home: homedir(), env },
        launch: (client) => launchFor(client, launchOf(parts)),
      }),
      show,
      ...(shell === undefined ? {} : { shell }),
      reportBug,
    },
    {
      folder,
      socketPath: socket,
      version: VERSION,
      auditWorkerPath: path.join(programs, 'audit-worker.js'),
      launch: launchOf(parts),
      passphrase: readPassphraseFile(env['COUNTERSIGN_PASSPHRASE_FILE']),
      recover,
      ...(faultPoint === undefined ? {} : { faultPoint }),
    },
  )
}

/** Electron's own program runs no plain script; the Node that was installed with us does, or an executable of its own. */
function launchOf({ programs, env, bridge }: HostParts): Launch {
  const home = env['COUNTERSIGN_HOME']
  const [command, ...args] = bridge === undefined ? [newEnoughNode(programs) ?? 'node', path.join(programs, 'bridge.js')] : [bridge]
  return {
    command,
    args,
    env: home === undefined || home === '' ? {} : { COUNTERSIGN_HOME: path.resolve(home) },
  }
}

/** Another host has this folder: ask it to come forward. Returns the address of its page, where it has one and tells. */
export async function handOver(socket: string): Promise<string | null> {
  try {
    const link = await connectHost({ socketPath: socket, client: null, kind: 'bridge', timeoutMs: 2000 })
    await link.request('host.show', {})
    const { page } = (await link.request('status', {})) as { page?: unknown }
    link.close()
    return typeof page === 'string' && /^http:\/\/127\.0\.0\.1:\d+\/$/.test(page) ? page : null
  } catch {
    return null // It may be starting, locked or leaving; it has the folder all the same.
  }
}
