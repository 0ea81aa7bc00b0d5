// Where the vault stands, and every way it comes to be open: the OS keychain, a passphrase, a first vault, a restored copy. A
// failure leaves a state that says what is wrong in one sentence.

import { existsSync } from 'node:fs'
import path from 'node:path'
import type { HostStatus } from '../../src-shared/rpc.ts'
import { texts } from '../../src-shared/texts.ts'
import type { Core } from './core.ts'
import { keepAside, restoreDailyCopy, startAnew } from './daily-copy.ts'
import { diskTroubleIn } from './disk-trouble.ts'
import { messageOf, Refusal } from './errors.ts'
import { watchKeychain } from './keychain-watch.ts'
import { KeychainError, type Clock, type Keychain } from './ports.ts'
import { RpcError } from './rpc.ts'
import { DamagedStore } from './store.ts'
import { OlderStore, VAULT_FILE, type Decision } from './vault/open.ts'

/** Everything but `open` says why in one sentence. */
export type State =
  | { is: 'open'; core: Core }
  | { is: 'new'; trouble: string }
  /** With an alarm it is sound but older than it should be, and a person may go on with it as it is. */
  | { is: 'damaged'; trouble: string; alarms: HostStatus['alarms'] }
  /** `because`: not for want of a password, but because the keychain is not there, or the disk takes nothing. */
  | { is: 'locked'; trouble: string; because?: 'unavailable' | 'disk' }

export interface VaultPorts {
  clock: Clock
  /** The OS keychain. `known`: a vault exists, so an empty keychain means a locked one. Throws KeychainError. */
  openKeychain: (known: boolean) => Promise<Keychain>
  sealed: {
    exists: () => boolean
    create: (passphrase: string) => Promise<Keychain>
    /** Throws KeychainError `locked` for a wrong passphrase. */
    unlock: (passphrase: string) => Promise<Keychain>
  }
  /** Errors that are bugs of ours, for the shell's own log. They carry no value. */
  reportBug: (error: unknown) => void
}

interface OpeningPorts extends VaultPorts {
  openCore: (keychain: Keychain, decided: Decision | null) => Promise<Core>
  /** The vault has just been opened; nobody has been told yet. */
  opened: (core: Core) => Promise<void>
  changed: () => void
}

export interface Opening {
  state: () => State
  core: () => Core
  sealed: () => boolean
  /** What the keychain said last, while the vault is open. */
  keychainTrouble: () => string | null
  start: () => Promise<void>
  createVault: (passphrase: string) => Promise<void>
  /** False for a wrong one. */
  tryPassphrase: (passphrase: string) => Promise<boolean>
  recover: (how: Decision) => void
  stopping: () => boolean
  /** No further opening; the core, if there is one, is the caller's to close. */
  stop: () => Promise<void>
  shut: () => void
}

const RETRY_MS = 3000
const STARTING: State = { is: 'locked', trouble: 'Countersign is starting.' }

export function createOpening(ports: OpeningPorts, options: { folder: string; passphrase: string | null }): Opening {
  let state: State = STARTING
  let sealed = ports.sealed.exists()
  let underWay: Promise<void> | null = null
  let decided: Decision | null = null
  let keychainTrouble: string | null = null
  let stopRetry = () => {}
  /** A sealed vault that was unlocked, for as long as the disk does not let the rest be opened. */
  let held: Keychain | null = null
  let stopping = false

  const known = () => existsSync(path.join(options.folder, VAULT_FILE))

  const core = (): Core => {
    if (state.is === 'open') return state.core
    throw new RpcError(state.is === 'locked' ? 'locked' : 'refused', state.trouble)
  }

  /** With whatever keychain `from` brings; one at a time. */
  const open = (from: () => Promise<Keychain>): Promise<void> => {
    underWay ??= openOnce(from).finally(() => {
      underWay = null
    })
    return underWay
  }

  const openOnce = async (from: () => Promise<Keychain>): Promise<void> => {
    if (state.is === 'open' || stopping) return
    let raw: Keychain | null = null
    let keychain: Keychain | null = null
    try {
      raw = await from()
      if (held !== null && held !== raw) await held.close()
      held = null
      keychain = watchKeychain(raw, ports.clock, (trouble) => {
        keychainTrouble = trouble
        ports.changed()
      })
      const core = await ports.openCore(keychain, decided)
      state = { is: 'open', core }
      decided = null
      sealed = keychain.kind === 'sealed'
      await ports.opened(core)
    } catch (error) {
      state = stateAfter(error)
      // Nobody is asked for a passphrase once more because the disk was full.
      if (state.is === 'locked' && state.because === 'disk' && raw?.kind === 'sealed') held = raw
      else await keychain?.close()
    }
    ports.changed()
    if (state.is !== 'locked') return
    if (state.because === 'disk') retrySoon(held === null ? from : () => Promise.resolve(raw ?? from()))
    else if (!sealed) retrySoon(() => ports.openKeychain(known()))
  }

  const stateAfter = (error: unknown): State => {
    const reason = diskTroubleIn(options.folder, error instanceof KeychainError ? error.cause : error)
    if (reason !== null) return { is: 'locked', trouble: texts.vaultNotOpened(reason), because: 'disk' }
    if (error instanceof KeychainError) {
      if (error.code === 'locked') return { is: 'locked', trouble: texts.keychainLocked }
      if (known()) return { is: 'locked', trouble: texts.keychainUnavailable(error.message), because: 'unavailable' }
      return {
        is: 'new',
        trouble: `There is no OS keychain here (${error.message}). Choose a passphrase to keep secrets in a sealed vault.`,
      }
    }
    if (!(error instanceof DamagedStore)) ports.reportBug(error)
    const alarms = error instanceof OlderStore ? [{ id: 'vault', text: `${error.message} ${error.lost}`.trim() }] : []
    return { is: 'damaged', trouble: messageOf(error), alarms }
  }

  const openSystemKeychain = () => open(() => ports.openKeychain(known()))

  const retrySoon = (from: () => Promise<Keychain>): void => {
    stopRetry()
    stopRetry = ports.clock.after(RETRY_MS, () => void open(from))
  }

  const createVault = async (passphrase: string): Promise<void> => {
    if (state.is !== 'new') throw new Refusal('There is a vault already', 'exists')
    // Tried again after a full disk, it may be there already.
    await open(() => (ports.sealed.exists() ? ports.sealed.unlock(passphrase) : ports.sealed.create(passphrase)))
    core()
  }

  return {
    state: () => state,
    core,
    sealed: () => sealed,
    keychainTrouble: () => keychainTrouble,
    createVault,

    async start() {
      const { passphrase } = options
      if (!sealed) await openSystemKeychain()
      else if (passphrase !== null) await open(() => ports.sealed.unlock(passphrase))
      else state = { is: 'locked', trouble: texts.keychainLocked }
      if (state.is === 'new' && passphrase !== null) await createVault(passphrase)
    },

    async tryPassphrase(passphrase) {
      const keychain = await ports.sealed.unlock(passphrase).catch((error: unknown) => {
        if (error instanceof KeychainError && error.code === 'locked') return null
        throw error
      })
      if (keychain === null) return false
      if (state.is === 'open') await keychain.close()
      else await open(() => Promise.resolve(keychain))
      core()
      return true
    },

    recover(how) {
      if (how === 'daily copy') restoreDailyCopy(options.folder)
      else if (how === 'start anew') startAnew(options.folder)
      else keepAside(options.folder)
      decided = how
      state = STARTING
    },

    stopping: () => stopping,

    async stop() {
      stopping = true
      stopRetry()
      await underWay
      await held?.close()
    },

    shut() {
      state = { is: 'locked', trouble: 'Countersign is closing.' }
    },
  }
}
