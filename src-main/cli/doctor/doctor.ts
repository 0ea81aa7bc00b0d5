// `countersign doctor`: looks at everything that has to be in order, changes nothing, and names the next step for what is not.

import { dataFolder, socketPath } from '../../adapters/paths.ts'
import { findStartCommand } from '../../adapters/start-command.ts'
import { FolderRefused } from '../../link/trust.ts'
import { EXIT } from '../exit.ts'
import { withHost } from '../host.ts'
import type { Io } from '../io.ts'
import type { Output } from '../output.ts'
import { checkCallers, checkFolder, checkNode, checkRoom, checkSocket } from './computer.ts'
import { trouble, type Finding, type Level } from './finding.ts'
import { checkHost, hostTrouble } from './host.ts'
import { lookAtKeychain } from './keychain.ts'

export async function examine(io: Io, full: boolean): Promise<Output> {
  const findings = await look(io, full)
  const isFine = findings.every(({ level }) => level !== 'trouble')
  return {
    json: { ok: isFine, checks: findings },
    lines: [...findings.flatMap(linesOf), isFine ? 'All is well.' : 'Something needs you: follow the arrows, from the top.'],
    exit: isFine ? EXIT.ok : EXIT.failure,
  }
}

async function look(io: Io, full: boolean): Promise<Finding[]> {
  const folder = folderOf(io)
  if (typeof folder !== 'string') return [folder]
  const here = [
    checkNode(folder, io.programFolder),
    checkFolder(folder),
    ...checkRoom(folder),
    checkSocket(socketPath(folder)),
    ...checkCallers(),
  ]
  try {
    return [...here, ...(await withHost(io, (link) => checkHost(link, folder, full)))]
  } catch (error) {
    return [...here, hostTrouble(error, findStartCommand(folder, io.programFolder)), await lookAtKeychain(io, folder)]
  }
}

function folderOf(io: Io): string | Finding {
  try {
    return dataFolder(io.env)
  } catch (error) {
    if (!(error instanceof FolderRefused)) throw error
    return trouble('Data folder', error.message, 'Set HOME, or COUNTERSIGN_HOME, to the absolute path of a folder of yours.')
  }
}

const SIGNS: Record<Level, string> = { ok: '✓', note: '!', trouble: '✗' }

function linesOf({ check, level, text, next }: Finding): string[] {
  return [`${SIGNS[level]} ${check}: ${text}`, ...(next === null ? [] : [` → ${next}`])]
}
