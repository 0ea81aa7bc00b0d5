// Where our files are. Found from HOME alone: AI clients hand their children little else, and bridge and host must agree.

import { realpathSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { CLIENT_ID } from '../../src-shared/client.ts'
import { FolderRefused, ownedByUs } from '../link/trust.ts'

export { FolderRefused, prepareFolder } from '../link/trust.ts'

export type Env = Record<string, string | undefined>

/** The longest path that every system takes for a unix socket (104 bytes with its ending NUL on macOS). */
const SOCKET_PATH_BYTES = 103

const windows = process.platform === 'win32'

export function dataFolder(env: Env): string {
  const chosen = env['COUNTERSIGN_HOME']
  if (chosen) {
    if (!path.isAbsolute(chosen)) throw new FolderRefused(`COUNTERSIGN_HOME must be an absolute path, not '${chosen}'.`)
    return path.resolve(chosen)
  }
  const home = homeFolder(env)
  switch (process.platform) {
    case 'darwin':
      return path.join(home, 'Library', 'Application Support', 'Countersign')
    case 'win32':
      return path.join(home, 'AppData', 'Roaming', 'Countersign')
    default:
      return path.join(home, '.local', 'share', 'countersign')
  }
}

function homeFolder(env: Env): string {
  const name = windows ? 'USERPROFILE' : 'HOME'
  const home = env[name] || accountHome(name)
  if (!path.isAbsolute(home)) throw new FolderRefused(`${name} must be an absolute path, not '${home}'.`)
  const stats = statSync(home, { throwIfNoEntry: false })
  if (!stats?.isDirectory()) throw new FolderRefused(`The home folder '${home}' does not exist.`)
  if (!ownedByUs(stats)) throw new FolderRefused(`The home folder '${home}' belongs to another user.`)
  return home
}

function accountHome(name: string): string {
  try {
    return os.userInfo().homedir
  } catch (error) {
    throw new FolderRefused(`${name} is not set, and this account has no home folder.`, { cause: error })
  }
}

export function socketPath(folder: string): string {
  if (windows) return `\\\\.\\pipe\\countersign-${hash(folder, 32)}`
  const usual = path.join(folder, 'run', 'host.sock')
  if (Buffer.byteLength(usual) <= SOCKET_PATH_BYTES) return usual
  return `/tmp/countersign-${process.getuid?.() ?? 0}/${hash(folder, 24)}.sock`
}

/** The folder of keys, in ours. */
export const KEYS = 'keys'

export function keyFile(folder: string, clientId: string): string {
  if (!CLIENT_ID.test(clientId)) throw new FolderRefused('A client id is made of lower-case letters, digits and -.')
  return path.join(folder, KEYS, `${clientId}.key`)
}

/** The keychain service: a folder of one's own has its own items, so that tests and trials never meet the real ones. */
export function serviceName(env: Env): string {
  return env['COUNTERSIGN_HOME'] ? `Countersign:${hash(dataFolder(env), 12)}` : 'Countersign'
}

function hash(folder: string, digits: number): string {
  // Loaded here, because it takes milliseconds and the bridge, which must answer at once, seldom needs it.
  const { createHash } = createRequire(process.execPath)('node:crypto') as typeof import('node:crypto')
  return createHash('sha256').update(realPath(folder)).digest('hex').slice(0, digits)
}

/** The real path, also of a folder that is yet to be made. */
function realPath(folder: string): string {
  try {
    return realpathSync(folder)
  } catch (error) {
    const parent = path.dirname(folder)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) throw error
    return path.join(realPath(parent), path.basename(folder))
  }
}
