// Whether the host runs, and making it run.

import type { HostStatus } from '../../src-shared/rpc.ts'
import { dataFolder, type Env } from '../adapters/paths.ts'
import { findStartCommand, hasWindows, startHost } from '../adapters/start-command.ts'
import { LinkError } from '../link/connect.ts'
import type { Shut } from '../link/messages.ts'
import { EXIT, Stop } from './exit.ts'
import { ask, connect, pageOf, withHost } from './host.ts'
import type { Io } from './io.ts'
import type { Output } from './output.ts'

const START_MS = 15_000
const OPENING_MS = 3000
const LOOK_EVERY_MS = 100

export async function showStatus(io: Io): Promise<Output> {
  const status = await withHost(io, (link) => ask(link, 'status', {}))
  return { json: { running: true, ...status }, lines: statusLines(status) }
}

function statusLines(status: HostStatus): string[] {
  const page = pageOf(status)
  return [
    `Countersign ${status.version} is running; secrets are in ${status.store === 'sealed' ? 'a sealed vault' : 'the OS keychain'}.`,
    ...(page === null ? [] : [`Page: ${page}`]),
    ...(status.http == null ? [] : ['url' in status.http ? `MCP over HTTP: ${status.http.url}` : status.http.trouble]),
    ...(status.trouble === null ? [] : [status.trouble]),
    ...(status.paused === null ? [] : ['All access is paused.']),
    ...(status.waiting === 0 ? [] : [`Waiting for an answer: ${status.waiting}`]),
    ...status.alarms.map(({ text }) => `Alarm: ${text}`),
  ]
}

/** Starts the host, or tells the one that runs to come forward. */
export async function startOrShow(io: Io): Promise<Output> {
  const before = await lookForHost(io)
  if (before !== 'absent') return running('is running already', before, io)
  const command = startCommand(io)
  if (command === null) throw new Stop(EXIT.failure, 'There is no host to start beside this program. Install Countersign with Node 24.')
  if (hasWindows(command) && !hasDesktop({ ...io.env, ...command.env })) throw new Stop(EXIT.notRunning, NO_DESKTOP)
  await startHost(command, io.env)
  return running('has started', await waitForHost(io, [command.command, ...command.args].join(' ')), io)
}

const startCommand = (io: Io) => findStartCommand(dataFolder(io.env), io.programFolder)

const NO_DESKTOP =
  'There is no desktop here for its windows. Start Countersign on your desktop; a clone of its source also runs without one: npm start'

function hasDesktop({ DISPLAY, WAYLAND_DISPLAY }: Env): boolean {
  return process.platform !== 'linux' || Boolean(DISPLAY) || Boolean(WAYLAND_DISPLAY)
}

/** What is known of a host: its status, or the state for which it lets nobody in yet. */
type Found = HostStatus | Shut

function running(how: string, found: Found, io: Io): Output {
  if (typeof found !== 'string')
    return { json: { running: true, ...found }, lines: [`Countersign ${how}.`, ...statusLines(found).slice(1)] }
  const command = startCommand(io)
  const lines = [
    `Countersign ${how}. ${WAITS_FOR[found]}`,
    command !== null && hasWindows(command)
      ? 'Its window says what to do.'
      : 'Open its page: http://127.0.0.1:8718/ unless that port was taken when it started.',
  ]
  return { json: { running: true, state: found }, lines }
}

const WAITS_FOR: Record<Shut, string> = {
  locked: 'Its vault is locked.',
  unavailable: 'It cannot reach the keychain.',
  disk: 'It cannot open its vault, because the disk is full or cannot be written; it opens by itself when there is room.',
  new: 'It has no vault yet.',
  damaged: 'Its database is damaged.',
}

async function lookForHost(io: Io): Promise<Found | 'absent'> {
  try {
    const link = await connect(io)
    try {
      await ask(link, 'host.show', {})
      return await ask(link, 'status', {})
    } finally {
      link.close()
    }
  } catch (error) {
    if (!(error instanceof LinkError)) throw error
    switch (error.code) {
      case 'absent':
      case 'locked':
      case 'unavailable':
      case 'disk':
      case 'new':
      case 'damaged':
        return error.code
      default:
        throw error
    }
  }
}

/** A host that has just started is shut while it opens its vault or makes one; one that is still shut a little later waits for a person. */
async function waitForHost(io: Io, shown: string): Promise<Found> {
  const deadline = performance.now() + START_MS
  let patience = deadline
  let found = await lookForHost(io)
  while (typeof found === 'string' && performance.now() < patience) {
    if (found !== 'absent') patience = Math.min(patience, performance.now() + OPENING_MS)
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
    found = await lookForHost(io)
  }
  if (found !== 'absent') return found
  throw new Stop(EXIT.notRunning, `Countersign was started, but does not answer. Start it in a terminal to see why: ${shown}`)
}
