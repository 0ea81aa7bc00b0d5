// What the host says of itself.

import type { HostStatus } from '../../../src-shared/rpc.ts'
import { hasWindows, type StartCommand } from '../../adapters/start-command.ts'
import type { HostLink } from '../../link/connect.ts'
import { LinkError } from '../../link/connect.ts'
import { VERSION } from '../../version.ts'
import { verdict } from '../audit.ts'
import { EXIT, stopOf } from '../exit.ts'
import { ask, pageOf } from '../host.ts'
import { checkClients } from './clients.ts'
import { note, ok, trouble, type Finding } from './finding.ts'
import { keychainOf } from './keychain.ts'

/** A host that hangs must not make the doctor hang. */
const ANSWER_MS = 10_000
const VERIFY_MS = 10 * 60_000

export async function checkHost(link: HostLink, folder: string, full: boolean): Promise<Finding[]> {
  const status = await ask(link, 'status', {}, within(ANSWER_MS))
  return [
    running(status),
    checkVersions(status.version),
    keychainOf(status),
    ...(await unlessFailed('Log', () => checkLog(link, full))),
    ...aboutStatus(status),
    ...(await unlessFailed('Clients', async () => checkClients(await ask(link, 'registrations.list', {}, within(ANSWER_MS)), folder))),
  ]
}

/** Where a person meets a host that is shut. */
function itsDoor(start: StartCommand | null): string {
  return start !== null && hasWindows(start) ? 'its window' : 'its page, http://127.0.0.1:8718/ unless that port was taken'
}

/** A part that cannot be looked at keeps no other from being looked at. */
async function unlessFailed(check: string, look: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look()
  } catch (error) {
    return [trouble(check, reasonOf(error), 'Restart Countersign, then run this again.')]
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error && error.name !== 'TimeoutError' ? error.message : 'Countersign does not answer in time.'

const within = (ms: number) => ({ signal: AbortSignal.timeout(ms) })

function running(status: HostStatus): Finding {
  const page = pageOf(status)
  return ok('Host', `Countersign ${status.version} is running${page === null ? '' : `; its page is ${page}`}.`)
}

/** Bridge and command line come from one build, and the host writes its own bridge into the clients' files. */
function checkVersions(host: string): Finding {
  if (host === VERSION) return ok('Versions', `Host, bridge and command line are ${VERSION}.`)
  return trouble(
    'Versions',
    `The host is ${host}, this command is ${VERSION}.`,
    'Quit Countersign and start it again from the same install.',
  )
}

async function checkLog(link: HostLink, full: boolean): Promise<Finding[]> {
  if (!full) {
    await ask(link, 'audit.query', { limit: 1 }, within(ANSWER_MS))
    return [ok('Log', 'It can be read; its end was checked at the start. Every entry: doctor --full')]
  }
  const report = await ask(link, 'audit.verify', {}, within(VERIFY_MS))
  const { line, exit } = verdict(report)
  const unread = report.breaks.filter(({ acknowledged }) => !acknowledged).length
  const found =
    exit === EXIT.ok ? ok('Log', line) : trouble('Log', line, 'Keep audit.db as it is, and look at what happened then: docs/guide.md')
  return unread === 0
    ? [found]
    : [found, trouble('Log', `Breaks that nobody has acknowledged: ${unread}.`, 'Open Countersign and read its alarm.')]
}

function aboutStatus({ alarms, http, paused, trouble: sentence }: HostStatus): Finding[] {
  return [
    ...alarms.map(({ text }) => trouble('Alarm', text, 'Open Countersign and acknowledge it there.')),
    ...(http != null && 'trouble' in http ? [trouble('HTTP', http.trouble, 'Free that port or choose another one in the settings.')] : []),
    ...(paused === null ? [] : [note('Host', 'All access is paused.', 'Resume it in the window or in the tray.')]),
    ...(sentence !== null && keychainOf({ store: 'keychain', trouble: sentence }).level === 'ok'
      ? [trouble('Host', sentence, 'Restart Countersign.')]
      : []),
  ]
}

/** Why the host cannot be asked; `start` is what starts it. */
export function hostTrouble(error: unknown, start: StartCommand | null): Finding {
  if (!(error instanceof LinkError)) {
    return trouble('Host', reasonOf(error), 'Restart Countersign.')
  }
  switch (error.code) {
    case 'absent':
      if (error.wasEnded) {
        return trouble(
          'Host',
          'Countersign runs, and ended the connection: it is leaving, or has too many files open.',
          'Run this again; if it stays so, close AI clients that are not needed, or restart Countersign.',
        )
      }
      return trouble('Host', 'Countersign is not running.', 'Start it: countersign')
    case 'locked':
      return trouble('Host', 'It runs, and its vault is locked.', `Open ${itsDoor(start)}, or unlock the keychain.`)
    case 'unavailable':
      return trouble('Host', 'It runs, and cannot reach the keychain.', 'See below; it opens by itself when the keychain is there.')
    case 'disk':
      return trouble(
        'Host',
        'It runs, and cannot open its vault, because the disk is full or cannot be written.',
        'Make room on the disk of the data folder; it opens by itself then.',
      )
    case 'new':
      return trouble(
        'Host',
        'It runs, found no OS keychain, and is not set up yet.',
        `Open ${itsDoor(start)}, and choose a passphrase for a sealed vault. Or start the keychain first, then Countersign again.`,
      )
    case 'damaged':
      return trouble(
        'Host',
        'Its database is damaged, so it serves nobody.',
        start !== null && hasWindows(start)
          ? 'Open Countersign: it offers the daily copy, or to start anew.'
          : 'Stop it, and start it again with --restore-daily-copy: the damaged file is moved aside, and yesterday’s copy takes its place.',
      )
    case 'refused':
      return trouble('Host', 'It does not accept the key of the command line.', 'Restart Countersign: it makes a new one.')
    case 'version':
      return trouble(
        'Versions',
        'This command and the Countersign that is running do not match.',
        'Quit Countersign and start it again from the same install.',
      )
    case 'unsafe':
      return trouble('Host', error.message, 'Move away what is in the way of the socket, then start Countersign.')
    case 'silent':
    case 'lost':
      return trouble('Host', stopOf(error).message, 'End the process and start Countersign again; nothing that was confirmed is lost.')
  }
}
