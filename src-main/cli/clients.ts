// AI clients and our entry in their files. Looking asks nobody; changing asks a person, as every write does.

import type { FilePreview, RegistrationAct, RegistrationState } from '../../src-shared/registration.ts'
import { EXIT, Stop, stopOf } from './exit.ts'
import { ask, callTool, withHost } from './host.ts'
import type { Io } from './io.ts'
import type { Output } from './output.ts'

export type ClientsCommand =
  | { is: 'clients list' }
  | { is: 'clients scan' }
  | { is: 'clients add'; client: string; policy: string; dryRun: boolean }
  | { is: 'clients repair' | 'clients remove'; client: string; dryRun: boolean }
  | { is: 'clients remove all'; dryRun: boolean }

export function runClients(io: Io, command: ClientsCommand): Promise<Output> {
  switch (command.is) {
    case 'clients list':
      return listClients(io)
    case 'clients scan':
      return scanClients(io)
    case 'clients add':
      return change(io, 'add', command.client, { policy: command.policy }, command.dryRun)
    case 'clients repair':
      return change(io, 'repair', command.client, {}, command.dryRun)
    case 'clients remove':
      return change(io, 'remove', command.client, {}, command.dryRun)
    case 'clients remove all':
      return removeAll(io, command.dryRun)
  }
}

async function listClients(io: Io): Promise<Output> {
  const clients = await withHost(io, (link) => ask(link, 'registrations.list', {}))
  const rows = clients.map(({ id, name, state, policy, files }) => [
    id,
    name,
    state,
    policy ?? '',
    files.map(({ path }) => path).join(', '),
  ])
  return { json: clients, head: ['client', 'name', 'state', 'policy', 'file'], rows }
}

async function scanClients(io: Io): Promise<Output> {
  const found = await withHost(io, (link) => ask(link, 'registrations.scan', {}))
  const rows = found.map(({ clientName, server, variable, where, path }) => [clientName, server, variable, where, path])
  const note = found.length === 0 ? 'No credentials in plain text were found in the files of AI clients.' : null
  return { json: found, head: ['client', 'server', 'variable', 'where', 'file'], rows, note }
}

async function change(
  io: Io,
  act: RegistrationAct,
  client: string,
  args: { policy?: string },
  dryRun: boolean,
): Promise<Output & { lines: string[] }> {
  const previews = await withHost(io, (link) => ask(link, 'registrations.preview', { client, act }))
  const refused = previews.find(({ trouble }) => trouble !== null)
  if (refused !== undefined) throw new Stop(EXIT.failure, refusal(refused))
  if (dryRun) return { json: previews, lines: previews.flatMap(previewLines) }
  const { text, structured } = await callTool(io, `${act}_client`, { client, ...args })
  return { json: structured, lines: [text] }
}

const OURS: readonly RegistrationState[] = ['registered', 'vanished', 'changed', 'broken']

/** Before Countersign is uninstalled: our entry in the files of every client, each with an answer of its own. */
async function removeAll(io: Io, dryRun: boolean): Promise<Output> {
  const clients = await withHost(io, (link) => ask(link, 'registrations.list', {}))
  const done: { client: string; result: unknown; lines: string[]; fine: boolean }[] = []
  for (const { id } of clients.filter(({ state }) => OURS.includes(state))) {
    // One that cannot be, or may not, keeps no other.
    done.push(
      await change(io, 'remove', id, {}, dryRun).then(
        ({ json, lines }) => ({ client: id, result: json, lines, fine: true }),
        (error: unknown) => ({
          client: id,
          result: { error: stopOf(error).message },
          lines: [`${id}: ${stopOf(error).message}`],
          fine: false,
        }),
      ),
    )
  }
  const lines = done.length === 0 ? ['No AI client has an entry of ours.'] : done.flatMap((one) => one.lines)
  return {
    json: done.map(({ client, result }) => ({ client, result })),
    lines,
    exit: done.every(({ fine }) => fine) ? EXIT.ok : EXIT.failure,
  }
}

function previewLines({ path, does, diff, warning }: FilePreview): string[] {
  const heading = { nothing: 'stays as it is', create: 'would be made', change: 'would change', delete: 'would be removed' }[does]
  return [`${path} ${heading}`, ...(warning === null ? [] : [`Warning: ${warning}`]), ...diff.split('\n').filter((line) => line !== '')]
}

function refusal({ path, trouble, snippet }: FilePreview): string {
  const where = trouble?.line == null ? '' : `, line ${trouble.line}, column ${trouble.column}`
  return `${path}${where}: ${trouble?.message ?? ''}. It was left as it is. To add the entry by hand: ${snippet.replaceAll(/\s*\n\s*/g, ' ').trim()}`
}
