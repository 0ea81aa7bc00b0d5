// The headless shell: the host in plain Node, with a web page instead of windows. Becomes dist/host.js.

import { readFileSync } from 'node:fs'
import { createReadStream } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '../adapters/clock.ts'
import { openKeyFiles } from '../adapters/key-files.ts'
import { openKeytarKeychain } from '../adapters/keytar-keychain.ts'
import { acquireLock } from '../adapters/lock.ts'
import { dataFolder, prepareFolder, serviceName, socketPath } from '../adapters/paths.ts'
import { inspectPeer } from '../adapters/processes.ts'
import { createSealedVault, sealedVaultExists, unlockSealedVault } from '../adapters/sealed-vault.ts'
import { writeStartCommand } from '../adapters/start-command.ts'
import { messageOf } from '../host/errors.ts'
import { createHost, type Host } from '../host/host.ts'
import { connectHost } from '../link/connect.ts'
import { VERSION } from '../version.ts'
import { serveWeb, type Web } from '../web/server.ts'
import { faultPointFrom } from './fault-point.ts'

const here = import.meta.dirname
const USAGE = 'usage: headless [--json] [--port N] [--restore-daily-copy]'

async function run(): Promise<void> {
  const { json, port, restore } = readArguments()
  // Whatever we forget to set the mode of stays private.
  process.umask(0o077)
  const folder = dataFolder(process.env)
  prepareFolder(folder)
  const socket = socketPath(folder)
  const host = await openHost(folder, socket, restore)
  if (host === null) return handOver(socket, json)
  const web = await openPage(host, port)
  writeStartCommand(folder, process.execPath, [path.join(here, 'headless.js')], process.env)
  leaveOnSignals(host, web)
  const { store, state, trouble } = host.status()
  if (json) say({ event: 'ready', socket, store, state, url: web.url, pid: process.pid, version: VERSION })
  else {
    process.stdout.write(`Countersign is running (${store === 'sealed' ? 'sealed vault' : 'OS keychain'}). Open ${web.url}\n`)
    if (trouble !== null) process.stdout.write(`${trouble}\n`)
  }
}

function readArguments(): { json: boolean; port: number | undefined; restore: boolean } {
  const { values } = parseArgs({
    options: { json: { type: 'boolean' }, port: { type: 'string' }, 'restore-daily-copy': { type: 'boolean' } },
  })
  const port = values.port === undefined ? undefined : Number(values.port)
  if (port !== undefined && (!Number.isInteger(port) || port < 0 || port > 65_535)) throw new Error(USAGE)
  return { json: values.json ?? false, port, restore: values['restore-daily-copy'] ?? false }
}

function openHost(folder: string, socket: string, restoreDailyCopy: boolean): Promise<Host | null> {
  return createHost(
    {
      clock: systemClock,
      openKeychain: (known) =>
        openKeytarKeychain({ service: serviceName(process.env), helperPath: path.join(here, 'keychain-helper.js') }, { known }),
      sealed: {
        exists: () => sealedVaultExists(folder),
        create: (passphrase) => createSealedVault(folder, passphrase),
        unlock: (passphrase) => unlockSealedVault(folder, passphrase),
      },
      keyFiles: openKeyFiles(folder),
      lock: () => acquireLock(folder),
      inspect: inspectPeer,
      show: () => {},
      reportBug: (error) =>
        process.stderr.write(`countersign: ${error instanceof Error ? (error.stack ?? error.message) : 'unknown error'}\n`),
    },
    {
      folder,
      socketPath: socket,
      version: VERSION,
      auditWorkerPath: path.join(here, 'audit-worker.js'),
      passphrase: passphraseFromFile(process.env['COUNTERSIGN_PASSPHRASE_FILE']),
      restoreDailyCopy,
      faultPoint: faultPointFrom(process.env['COUNTERSIGN_FAULT_POINT']),
    },
  )
}

function openPage(host: Host, port: number | undefined): Promise<Web> {
  return serveWeb({ door: host, login: host.login, rendererFolder: path.join(here, 'renderer'), port })
}

/** One trailing newline belongs to the file, not to the passphrase. */
function passphraseFromFile(file: string | undefined): string | null {
  return file === undefined || file === '' ? null : readFileSync(file, 'utf8').replace(/\r?\n$/, '')
}

/** Another host has this folder: ask it to come forward, and leave. */
async function handOver(socket: string, json: boolean): Promise<void> {
  try {
    const link = await connectHost({ socketPath: socket, client: null, kind: 'bridge', timeoutMs: 2000 })
    await link.request('host.show', {})
    link.close()
  } catch {
    // It may be starting, locked or leaving; it has the folder all the same.
  }
  if (json) say({ event: 'already running', socket })
  else process.stdout.write('Countersign is already running.\n')
}

function leaveOnSignals(host: Host, web: Web): void {
  let leaving = false
  const leave = (why: string) => {
    if (leaving) return
    leaving = true
    void web
      .close()
      .then(() => host.close(why))
      .then(() => process.exit(0))
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => leave(signal))
  const parent = process.env['COUNTERSIGN_PARENT_FD']
  if (parent === undefined) return
  // Whoever started us on our own Node is gone without a signal: as good as a kill.
  const pipe = createReadStream('', { fd: Number(parent) })
  for (const end of ['end', 'error', 'close']) pipe.on(end, () => process.exit(1))
  pipe.resume()
}

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

run().catch((error: unknown) => {
  process.stderr.write(`countersign: ${messageOf(error)}\n`)
  process.exitCode = 1
})
