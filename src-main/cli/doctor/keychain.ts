// The keychain: as the host tells it, or, where no host runs, with a look of our own that changes nothing.

import { existsSync } from 'node:fs'
import path from 'node:path'
import { keychainHelp, type DesktopSystem } from '../../../src-shared/keychain-help.ts'
import type { HostStatus } from '../../../src-shared/rpc.ts'
import { texts } from '../../../src-shared/texts.ts'
import { forkHelper } from '../../adapters/keychain-process.ts'
import { lookAtKeytarKeychain } from '../../adapters/keytar-keychain.ts'
import { serviceName } from '../../adapters/paths.ts'
import { newEnoughNode } from '../../adapters/start-command.ts'
import { KeychainError } from '../../host/ports.ts'
import type { Io } from '../io.ts'
import { note, ok, trouble, type Finding } from './finding.ts'

const system: DesktopSystem = process.platform === 'darwin' ? 'mac' : process.platform === 'win32' ? 'windows' : 'linux'

export function keychainOf({ store, trouble: sentence }: Pick<HostStatus, 'store' | 'trouble'>): Finding {
  if (store === 'sealed') return ok('Keychain', 'Secrets are in a sealed vault, which is open.')
  if (sentence === null || !isAboutKeychain(sentence)) return ok('Keychain', 'Secrets are in the OS keychain, which answers.')
  return keychainTrouble(sentence)
}

const isAboutKeychain = (sentence: string) => sentence === texts.keychainLocked || sentence.startsWith(texts.keychainUnavailable(''))

function keychainTrouble(sentence: string): Finding {
  return trouble('Keychain', `${sentence}.`, keychainHelp(system, sentence))
}

const SEALED = 'sealed.db'
const VAULT = 'vault.db'

/** Where no host runs that could tell. */
export async function lookAtKeychain(io: Io, folder: string): Promise<Finding> {
  if (existsSync(path.join(folder, SEALED)))
    return ok('Keychain', 'Secrets are in a sealed vault; its passphrase opens it after the start.')
  const helperPath = path.join(io.programFolder, 'keychain-helper.js')
  const node = newEnoughNode(io.programFolder)
  if (node === null || !existsSync(helperPath)) return note('Keychain', 'Countersign looks at it when it opens; this command cannot.')
  const env: NodeJS.ProcessEnv = io.env
  const known = existsSync(path.join(folder, VAULT))
  const options = { service: serviceName(io.env), helperPath, fork: (file: string) => forkHelper(file, env, node) }
  try {
    await lookAtKeytarKeychain(options, { known })
    return ok('Keychain', known ? 'The OS keychain is there and open.' : 'The OS keychain answers.')
  } catch (error) {
    if (!(error instanceof KeychainError)) throw error
    const sentence = error.code === 'locked' ? texts.keychainLocked : texts.keychainUnavailable(error.message)
    if (known || error.code === 'locked') return keychainTrouble(sentence)
    return note(
      'Keychain',
      `${sentence}.`,
      `${keychainHelp(system, sentence)} Or go on without: the first start asks for a passphrase instead.`,
    )
  }
}
