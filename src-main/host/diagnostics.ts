// What helps to find a fault, as text that a person may hand to anybody: versions, states and counts; no names and no values.

import os from 'node:os'
import type { HostStatus } from '../../src-shared/rpc.ts'
import type { Core } from './core.ts'

export async function diagnose(status: HostStatus, core: Core | null): Promise<string> {
  const lines = [
    `Countersign ${status.version}`,
    `${programs()} · ${os.type()} ${os.release()} ${process.arch}`,
    `Up ${Math.round(process.uptime() / 60)} min · ${Math.round(process.memoryUsage.rss() / 1024 / 1024)} MB`,
    `Store: ${status.store} · state: ${status.state}${status.paused === null ? '' : ' · paused'} · alarms: ${status.alarms.length}`,
    ...(core === null ? [] : await countsOf(core)),
  ]
  return `${lines.join('\n')}\n`
}

function programs(): string {
  const { electron, chrome, node, sqlite } = process.versions
  const desktop = electron === undefined ? [] : [`Electron ${electron}`, `Chromium ${chrome}`]
  return [...desktop, `Node ${node}`, `SQLite ${sqlite}`].join(' · ')
}

async function countsOf({ vault, policies, clients, grants, approvals, audit, settings }: Core): Promise<string[]> {
  const secrets = vault.list()
  const count = (state: string) => secrets.filter((secret) => secret.state === state).length
  const known = clients.list()
  const connections = known.reduce((sum, client) => sum + client.connections, 0)
  const breaks = audit.breaks()
  // A log that cannot be read is a finding, not a reason to say nothing.
  const last = await audit.query({}, null, 1).then(
    ({ rows }) => String(rows[0]?.lastSeq ?? 0),
    () => 'not readable',
  )
  return [
    `Secrets: ${secrets.length} (${count('missing')} missing, ${count('changed outside')} changed outside)`,
    `Policies: ${policies.list().length} (${policies.refused().length} refused)`,
    `Clients: ${known.length} (${connections} connections, ${known.filter(({ paused }) => paused).length} paused)`,
    `Grants: ${grants.list().length} · waiting: ${approvals.list().length}`,
    `Log: last entry ${last} · breaks: ${breaks.length} (${breaks.filter(({ acknowledged }) => !acknowledged).length} not acknowledged)`,
    `Settings: ${JSON.stringify(settings.get())}`,
  ]
}
