// The host: the long-lived owner of secrets, policies, approvals and the log. It runs in any shell; it never imports Electron and
// never calls a window.

import { existsSync } from 'node:fs'
import type { Socket } from 'node:net'
import path from 'node:path'
import { PERSON, type Caller } from '../../src-shared/client.ts'
import type { Access, EventName, HostStatus, Launch } from '../../src-shared/rpc.ts'
import { NOT_RUNNING, texts } from '../../src-shared/texts.ts'
import { createApi } from './api.ts'
import type { KeyFiles } from './clients.ts'
import type { Peer } from './connection.ts'
import { openCore, type Core } from './core.ts'
import { restoreDailyCopy, startAnew } from './daily-copy.ts'
import { messageOf, Refusal } from './errors.ts'
import { createEvents } from './events.ts'
import { createHttpDoor, type HttpDoor } from './http-door.ts'
import { watchKeychain } from './keychain-watch.ts'
import { createLogin, type Login } from './login.ts'
import { KeychainError, type Clock, type Keychain, type Shell } from './ports.ts'
import type { OpenRegistrations } from './registrations.ts'
import { systemEntry } from './record.ts'
import { dispatch, RpcError, type RpcContext } from './rpc.ts'
import { serveSocket, type SocketServer } from './socket.ts'
import { DamagedStore } from './store.ts'
import { VAULT_FILE } from './vault/open.ts'

export interface HostPorts {
  clock: Clock
  /** The OS keychain. `known`: a vault exists, so an empty keychain means a locked one. Throws KeychainError. */
  openKeychain: (known: boolean) => Promise<Keychain>
  sealed: {
    exists: () => boolean
    create: (passphrase: string) => Promise<Keychain>
    /** Throws KeychainError `locked` for a wrong passphrase. */
    unlock: (passphrase: string) => Promise<Keychain>
  }
  keyFiles: KeyFiles
  /** One host per folder: null when another process has it. */
  lock: () => Promise<{ release: () => void } | null>
  inspect: (socket: Socket, declared: { pid: number; ppid: number }) => Promise<Peer>
  /** Comes to the front, if the shell has one. */
  show: () => void
  /** What a desktop around us can do; a headless host has none. */
  shell?: Shell
  /** The part that edits AI clients' own files; without it nothing of theirs is touched. */
  openRegistrations?: OpenRegistrations
  /** Errors that are bugs of ours, for the shell's own log. They carry no value. */
  reportBug: (error: unknown) => void
}

export interface HostOptions {
  folder: string
  socketPath: string
  version: string
  auditWorkerPath: string
  /** How an AI client starts the bridge, for whoever writes that into a config by hand. */
  launch?: Launch
  /** For a sealed vault, where the person left it in a file. Creates the vault when there is no keychain at all. */
  passphrase?: string | null
  /** The person started us so, because the vault was found damaged. */
  restoreDailyCopy?: boolean
  faultPoint?: (name: string) => void
}

export interface Host {
  dispatch: (access: Access, method: string, raw: unknown, context: Omit<RpcContext, 'access'>) => Promise<unknown>
  subscribe: (access: Access, caller: Caller | null, listener: (event: EventName, data: unknown) => void) => () => void
  login: Login
  status: () => HostStatus
  /** A page is being served at this address; whoever asks for the status is told. */
  announcePage: (url: string) => void
  http: HttpDoor
  close: (why: string) => Promise<void>
}

/** Where the vault stands. Everything but `open` says why in one sentence. */
type State = { is: 'open'; core: Core } | { is: 'locked' | 'new' | 'damaged'; trouble: string }

const RETRY_MS = 3000

/** Null when another host already has this folder. */
export async function createHost(ports: HostPorts, options: HostOptions): Promise<Host | null> {
  const { clock } = ports
  const lock = await ports.lock()
  if (lock === null) return null
  const events = createEvents()
  let socket: SocketServer | null = null
  let state: State = { is: 'locked', trouble: 'Countersign is starting.' }
  let sealed = ports.sealed.exists()
  let opening: Promise<void> | null = null
  let paused: { until: number | null; stop: () => void } | null = null
  let stopRetry = () => {}
  let closing = false
  let page: string | undefined
  let socketTrouble: string | null = null
  let keychainTrouble: string | null = null
  let refusedWhileShut = 0
  let decided: 'daily copy' | 'start anew' | null = null

  const core = (): Core => {
    if (state.is === 'open') return state.core
    throw new RpcError(state.is === 'locked' ? 'locked' : 'refused', state.trouble)
  }

  /** Opens with whatever keychain `from` brings. One at a time; a failure leaves a state that says what is wrong. */
  const open = (from: () => Promise<Keychain>): Promise<void> => {
    opening ??= openOnce(from).finally(() => {
      opening = null
    })
    return opening
  }

  const openOnce = async (from: () => Promise<Keychain>): Promise<void> => {
    if (state.is === 'open' || closing) return
    let keychain: Keychain | null = null
    try {
      keychain = watchKeychain(await from(), clock, (trouble) => {
        keychainTrouble = trouble
        events.emit('changed', { what: 'status' })
      })
      const core = await openCore({
        ...ports,
        ...options,
        keychain,
        decided,
        events,
        pausedText: () => (closing ? NOT_RUNNING : paused === null ? null : texts.allPaused),
        faultPoint: options.faultPoint ?? (() => {}),
        programOf: (connection) => socket?.programOf(connection) ?? null,
        disconnect: (clientId) => disconnect(clientId),
      })
      state = { is: 'open', core }
      decided = null
      sealed = keychain.kind === 'sealed'
      if (refusedWhileShut > 0)
        await core.journal.append(systemEntry('calls.refused while locked', { detail: { count: refusedWhileShut } }))
      refusedWhileShut = 0
    } catch (error) {
      await keychain?.close()
      state = stateAfter(error)
    }
    events.emit('changed', { what: 'status' })
    if (state.is === 'locked' && !sealed) retrySoon()
  }

  const stateAfter = (error: unknown): State => {
    if (error instanceof KeychainError) {
      if (error.code === 'locked') return { is: 'locked', trouble: texts.keychainLocked }
      if (existsSync(path.join(options.folder, VAULT_FILE))) return { is: 'locked', trouble: texts.keychainUnavailable(error.message) }
      return {
        is: 'new',
        trouble: `There is no OS keychain here (${error.message}). Choose a passphrase to keep secrets in a sealed vault.`,
      }
    }
    if (!(error instanceof DamagedStore)) ports.reportBug(error)
    return { is: 'damaged', trouble: messageOf(error) }
  }

  const retrySoon = (): void => {
    stopRetry()
    stopRetry = clock.after(RETRY_MS, () => void openSystemKeychain())
  }

  const known = () => existsSync(path.join(options.folder, VAULT_FILE))
  const openSystemKeychain = () => open(() => ports.openKeychain(known()))

  const createVault = async (passphrase: string): Promise<void> => {
    if (state.is !== 'new') throw new Refusal('There is a vault already', 'exists')
    await open(() => ports.sealed.create(passphrase))
    core()
  }

  const tryPassphrase = async (passphrase: string): Promise<boolean> => {
    const keychain = await ports.sealed.unlock(passphrase).catch((error: unknown) => {
      if (error instanceof KeychainError && error.code === 'locked') return null
      throw error
    })
    if (keychain === null) return false
    if (state.is === 'open') await keychain.close()
    else await open(() => Promise.resolve(keychain))
    core()
    return true
  }

  const recover = (how: 'daily copy' | 'start anew'): void => {
    if (how === 'daily copy') restoreDailyCopy(options.folder)
    else startAnew(options.folder)
    decided = how
    state = { is: 'locked', trouble: 'Countersign is starting.' }
  }

  const status = (): HostStatus => ({
    version: options.version,
    state: state.is,
    store: sealed || state.is === 'new' ? 'sealed' : 'keychain',
    trouble: state.is === 'open' ? (keychainTrouble ?? socketTrouble) : state.trouble,
    alarms: state.is === 'open' ? state.core.alarms.list() : [],
    paused: paused === null ? null : { until: paused.until },
    waiting: state.is === 'open' ? state.core.approvals.list().length : 0,
    page,
    http: http.state(),
  })

  const http = createHttpDoor({
    core: () => (state.is === 'open' ? state.core : null),
    clock,
    changed: () => events.emit('changed', { what: 'status' }),
  })
  const disconnect = (clientId: string): void => {
    socket?.disconnect(clientId)
    http.end(clientId)
  }

  const resume = (): void => {
    paused?.stop()
    paused = null
    events.emit('changed', { what: 'status' })
  }

  const api = createApi({
    core,
    status,
    show: () => {
      ports.show()
      events.emit('show', null)
    },
    shell: ports.shell ?? null,
    launch: options.launch ?? null,
    changePin: (current, next) => login.change(current, next),
    lock: async () => {
      const dropped = core().grants.dropTemporary()
      await core().journal.append(systemEntry('host.locked', { detail: { grantsDropped: dropped.length } }))
      events.emit('approvals', null)
    },
    pause: async (minutes) => {
      resume()
      const until = minutes === null ? null : clock.now() + minutes * 60_000
      paused = { until, stop: minutes === null ? () => {} : clock.after(minutes * 60_000, resume) }
      await core().approvals.endWhere(() => true, 'denied')
      events.emit('changed', { what: 'status' })
    },
    resume: async () => resume(),
    createVault,
    unlockVault: async (passphrase) => {
      if (!sealed) throw new Refusal('This vault is not sealed; the OS keychain opens it')
      if (!(await tryPassphrase(passphrase))) throw new Refusal('That is not the passphrase')
    },
    recoverVault: async (how) => {
      if (state.is !== 'damaged') throw new Refusal('The vault is not damaged')
      recover(how)
      await start()
    },
    changed: (what) => {
      events.emit('changed', { what })
      if (what === 'policies' || what === 'clients') events.emit('names', null)
    },
    disconnect,
  })

  const serve: Host['dispatch'] = (access, method, raw, context) => dispatch(api, method, raw, { ...context, access }, ports.reportBug)

  /** Clients hear only that names they may see have changed; windows hear everything. */
  const subscribe: Host['subscribe'] = (access, caller, listener) => {
    if (access === 'window' || access === 'prompt') return events.on(listener)
    const visible = () => (state.is === 'open' && caller !== null ? state.core.tools.visibleNames(caller.clientId, null).join('\n') : '')
    let last = visible()
    return events.on((event) => {
      if (event !== 'names') return
      const now = visible()
      if (now === last) return
      last = now
      listener('names', null)
    })
  }

  const login = createLogin({
    clock,
    state: () => state.is,
    sealed: () => sealed,
    pin: () => core().pin,
    recordPinSet: async () => {
      await core().journal.append(systemEntry('pin.set', { client: PERSON, approver: 'person' }))
    },
    createVault,
    tryPassphrase,
  })

  const start = async (): Promise<void> => {
    const passphrase = options.passphrase ?? null
    if (!sealed) await openSystemKeychain()
    else if (passphrase !== null) await open(() => ports.sealed.unlock(passphrase))
    else state = { is: 'locked', trouble: texts.keychainLocked }
    if (state.is === 'new' && passphrase !== null) await createVault(passphrase)
  }

  const leaving = new Map<string, () => void>()
  try {
    socket = await serveSocket({
      path: options.socketPath,
      inspect: ports.inspect,
      reportBug: ports.reportBug,
      onTrouble: (sentence) => {
        socketTrouble = sentence
        events.emit('changed', { what: 'status' })
      },
      registry: {
        state: () => {
          if (state.is === 'open') return null
          refusedWhileShut++
          return { code: state.is, message: state.trouble }
        },
        // Connections may outlive the open vault by a moment, on the way out.
        keysOf: (id) => (state.is === 'open' ? state.core.clients.keysOf(id) : null),
        describe: (id) => (state.is === 'open' ? state.core.clients.get(id) : null),
        proved: (id, generation) => core().clients.proved(id, generation),
      },
      handler: {
        request: (connection, method, params, context) =>
          serve(connection.access, method, params, { ...context, caller: connection.caller }),
        opened: (connection) => {
          core().clients.connected(connection.caller.clientId)
          leaving.set(
            connection.id,
            subscribe(connection.access, connection.caller, (event, data) => connection.send(event, data)),
          )
          events.emit('changed', { what: 'clients' })
        },
        closed: ({ id, caller }) => {
          leaving.get(id)?.()
          leaving.delete(id)
          if (state.is !== 'open') return
          state.core.clients.disconnected(caller.clientId)
          if (caller.standing === 'unverified') void state.core.approvals.endWhere((other) => other.connection === id, 'withdrawn')
          events.emit('changed', { what: 'clients' })
        },
      },
    })
    if (options.restoreDailyCopy) recover('daily copy')
    await start()
  } catch (error) {
    await socket?.close()
    lock.release()
    throw error
  }

  return {
    dispatch: serve,
    subscribe,
    login,
    status,
    http: http.door,
    announcePage: (url) => {
      page = url
    },
    async close(why) {
      closing = true
      stopRetry()
      paused?.stop()
      await opening
      const open = state.is === 'open' ? state.core : null
      if (open !== null) await open.approvals.endWhere(() => true, 'quit')
      await socket?.close()
      state = { is: 'locked', trouble: 'Countersign is closing.' }
      await open?.close(why)
      lock.release()
    },
  }
}
