// What can be seen of this computer without asking the host.

import { lstatSync, readdirSync, statfsSync, type Stats, type StatsFs } from 'node:fs'
import path from 'node:path'
import { helperProgram } from '../../adapters/helper-programs.ts'
import { findStartCommand } from '../../adapters/start-command.ts'
import { ownedByUs, socketState } from '../../link/trust.ts'
import { note, ok, trouble, type Finding } from './finding.ts'

const OLDEST_NODE = 20

export function checkNode(folder: string, programFolder: string, version = process.versions.node): Finding {
  if (Number(version.split('.')[0]) < OLDEST_NODE) {
    return trouble('Node', `This command runs on Node ${version}.`, `Install Node ${OLDEST_NODE} or newer.`)
  }
  const start = findStartCommand(folder, programFolder)
  if (start === null) {
    return trouble(
      'Node',
      'There is no program here that can run the host: it needs Node 22.13 or newer.',
      'Install Node 24; in a clone, npm ci brings it along.',
    )
  }
  return ok('Node', `This command runs on Node ${version}; the host is started by ${start.command}.`)
}

const OTHERS = 0o077
const windows = process.platform === 'win32'

export function checkFolder(folder: string): Finding {
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  if (stats === undefined) {
    return note('Data folder', `${folder} is not there yet.`, 'The first start makes it: countersign')
  }
  if (!stats.isDirectory()) {
    return trouble('Data folder', `${folder} is not a folder of its own.`, 'Move it away, then start Countersign: it makes a folder there.')
  }
  if (!ownedByUs(stats)) {
    return trouble(
      'Data folder',
      `${folder} belongs to another user.`,
      `Give it back to this account: sudo chown -R "$(id -un)" '${folder}'`,
    )
  }
  const open = openToOthers(folder, stats)
  if (open.length > 0) {
    const shown = open.slice(0, 3).join(', ') + (open.length > 3 ? ` and ${open.length - 3} more` : '')
    return trouble('Data folder', `Other users may look into it: ${shown}.`, `Close it: chmod -R go-rwx '${folder}'`)
  }
  return ok('Data folder', `${folder} is ours alone.`)
}

/** Enough for a day of entries and a daily copy of a vault of usual size. */
const LOW_BYTES = 8 << 20

/** Nothing where there is room, and where the disk does not tell. */
export function checkRoom(folder: string, stateOf: (folder: string) => Room = statfsSync): Finding[] {
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) return []
  const { bavail, bsize, files, ffree } = stateOf(folder)
  const free = bavail * bsize
  const next = 'Make room on the disk of the data folder; Countersign goes on by itself then.'
  if (free < FULL_BYTES || (files > 0 && ffree === 0))
    return [trouble('Disk', `The disk is full, so nothing can be recorded: ${folder}`, next)]
  return free < LOW_BYTES ? [note('Disk', `There are ${Math.floor(free / 1024)} KiB left on the disk of ${folder}.`, next)] : []
}

type Room = Pick<StatsFs, 'bavail' | 'bsize' | 'files' | 'ffree'>

/** Less, and SQLite cannot make the files it needs beside a database. */
const FULL_BYTES = 128 * 1024

/** The folder itself, what is in it, and what is in the folders in it. */
function openToOthers(folder: string, stats: Stats): string[] {
  if (windows) return []
  const inside = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => [
    entry.name,
    ...(entry.isDirectory() ? readdirSync(path.join(folder, entry.name)).map((name) => path.join(entry.name, name)) : []),
  ])
  const isOpen = (file: string) => {
    const found = lstatSync(path.join(folder, file), { throwIfNoEntry: false })
    return found !== undefined && !found.isSymbolicLink() && (found.mode & OTHERS) !== 0
  }
  return [...((stats.mode & OTHERS) === 0 ? [] : [folder]), ...inside.filter(isOpen)]
}

/** On Linux the host learns from `ss` alone which program is at the other end of a socket; it is looked for where the host looks. */
export function checkCallers(platform = process.platform, find = helperProgram): Finding[] {
  if (platform !== 'linux' || find('ss') !== null) return []
  return [
    note(
      'Callers',
      'The program ss is missing, so every client counts as a new program.',
      'On Debian and Ubuntu: sudo apt install iproute2',
    ),
  ]
}

export function checkSocket(socket: string): Finding {
  if (windows) return ok('Socket', `A named pipe of this account: ${socket}`)
  const state = socketState(socket)
  switch (state.is) {
    case 'absent':
      return note('Socket', 'There is none, because Countersign does not run.')
    case 'ours':
      return ok('Socket', `${socket} is ours alone.`)
    case 'refused':
      return trouble('Socket', state.message, `Remove ${socket}, or what is in its way, then start Countersign again.`)
  }
}
