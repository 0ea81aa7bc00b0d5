// The host: the long-lived owner of secrets, policies, approvals and the log. It runs in any shell; it never imports Electron and
// never calls a window.

import type { Socket } from 'node:net'
import { PERSON, type Caller } from '../../src-shared/client.ts'
import type { Access, EventName, HostStatus, Launch } from '../../src-shared/rpc.ts'
import { NOT_RUNNING, texts } from '../../src-shared/texts.ts'
import { createApi } from './api.ts'
import type { KeyFiles } from './clients.ts'
import type { Inspected } from './connection.ts'
import { createClosing } from './closing.ts'
import { openCore, type Core } from './core.ts'
import type { CoreParts } from './core-parts.ts'
import { Refusal } from './errors.ts'
import { createEvents } from './events.ts'
import { guardFolder } from './folder-guard.ts'
import { createHttpDoor, type HttpDoor } from './http-door.ts'
import { createLogin, type Login } from './login.ts'
import { createOpening, type VaultPorts } from './opening.ts'
import { recordOtherUsers } from './other-users.ts'
import { createPause } from './pause.ts'
import type { Shell } from './ports.ts'
import type { OpenRegistrations } from './registrations.ts'
import { systemEntry } from './record.ts'
import { dispatch, type RpcContext } from './rpc.ts'
import { serveSocket, type SocketServer } from './socket.ts'
import type { Decision } from './vault/open.ts'

export interface HostPorts extends VaultPorts {
  keyFiles: KeyFiles
  /** One host per folder: null when another process has it. */
  lock: () => Promise<{ file: string; release: () => void } | null>
  inspect: (socket: Socket, declared: { pid: number; ppid: number }) => Promise<Inspected>
  /** Comes to the front, if the shell has one. */
  show: () => void
  /** What a desktop around us can do; a headless host has none. */
  shell?: Shell
  /** The part that edits AI clients' own files; without it nothing of theirs is touched. */
  openRegistrations?: OpenRegistrations
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
  recover?: Decision | null
  faultPoint?: (name: string) => void
  newKdf?: CoreParts['newKdf']
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

/** Null when another host already has this folder. */
export async function createHost(ports: HostPorts, options: HostOptions): Promise<Host | null> {
  const { clock } = ports
  const lock = await ports.lock()
  if (lock === null) return null
  const guard = guardFolder(options.folder)
  guard.watch(lock.file)
  const events = createEvents()
  const statusChanged = () => events.emit('changed', { what: 'status' })
  const pause = createPause(clock, statusChanged)
  let socket: SocketServer | null = null
  let page: string | undefined
  let socketTrouble: string | null = null
  /** While the vault is not open. A bridge that stands by tries once a second, so these are no calls. */
  let connectionsRefused = 0

  const opening = createOpening(
    {
      ...ports,
      changed: statusChanged,
      openCore: (keychain, decided) =>
        openCore({
          ...ports,
          ...options,
          guard,
          keychain,
          decided,
          events,
          pausedText: () => (opening.stopping() ? NOT_RUNNING : pause.current() === null ? null : texts.allPaused),
          faultPoint: options.faultPoint ?? (() => {}),
          disconnect: (clientId) => disconnect(clientId),
        }),
      opened: async (core) => {
        const count = connectionsRefused
        connectionsRefused = 0
        // What opened is open, also where the disk takes no entry yet.
        if (count > 0)
          await core.journal.orOwe(() => core.audit.append(systemEntry('connections.refused while locked', { detail: { count } })))
        await login.opened()
      },
    },
    { folder: options.folder, passphrase: options.passphrase ?? null },
  )
  const { core, state } = opening
  const openCoreOrNull = (): Core | null => {
    const now = state()
    return now.is === 'open' ? now.core : null
  }

  const status = (): HostStatus => {
    const now = state()
    return {
      version: options.version,
      state: now.is,
      store: opening.sealed() || now.is === 'new' ? 'sealed' : 'keychain',
      trouble: now.is === 'open' ? (opening.keychainTrouble() ?? socketTrouble) : now.trouble,
      alarms: now.is === 'open' ? now.core.alarms.list() : now.is === 'damaged' ? now.alarms : [],
      paused: pause.current(),
      waiting: now.is === 'open' ? now.core.approvals.list().length : 0,
      page,
      http: http.state(),
    }
  }

  const http = createHttpDoor({
    core: openCoreOrNull,
    clock,
    changed: statusChanged,
    reportBug: ports.reportBug,
  })
  const otherUsers = recordOtherUsers(openCoreOrNull, clock, ports.reportBug)
  const disconnect = (clientId: string): void => {
    socket?.disconnect(clientId)
    http.end(clientId)
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
    setPin: (pin) => login.set(pin),
    lock: async () => {
      const dropped = core().grants.dropTemporary()
      await core().journal.append(systemEntry('host.locked', { detail: { grantsDropped: dropped.length } }))
      events.emit('approvals', null)
    },
    pause: async (minutes) => {
      pause.begin(minutes)
      await core().approvals.endWhere(() => true, 'denied')
      statusChanged()
    },
    resume: async () => pause.end(),
    createVault: opening.createVault,
    unlockVault: async (passphrase) => {
      if (opening.sealed()) {
        if (!(await opening.tryPassphrase(passphrase))) throw new Refusal('That is not the passphrase')
      } else await opening.start()
      core()
    },
    recoverVault: async (how) => {
      const now = state()
      if (now.is !== 'damaged') throw new Refusal('The vault is not damaged')
      if (how === 'as it is' && now.alarms.length === 0) throw new Refusal('This vault cannot be used as it is')
      opening.recover(how)
      await opening.start()
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
    const visible = () => (caller === null ? '' : (openCoreOrNull()?.tools.visibleNames(caller.clientId, null).join('\n') ?? ''))
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
    state: () => state().is,
    sealed: opening.sealed,
    pin: () => core().page.pin,
    firstPin: () => core().page.firstPin(),
    tries: () => openCoreOrNull()?.page.tries ?? null,
    recordPinSet: async () => {
      await core().journal.append(systemEntry('pin.set', { client: PERSON, approver: 'person' }))
    },
    createVault: opening.createVault,
    tryPassphrase: opening.tryPassphrase,
  })

  const leaving = new Map<string, () => void>()
  try {
    socket = await serveSocket({
      path: options.socketPath,
      inspect: ports.inspect,
      reportBug: ports.reportBug,
      folderTrouble: guard.trouble,
      onTrouble: (sentence) => {
        socketTrouble = sentence
        statusChanged()
      },
      onOtherUser: otherUsers.refused,
      registry: {
        state: () => {
          const now = state()
          if (now.is === 'open') return null
          connectionsRefused++
          return { code: now.is === 'locked' ? (now.because ?? now.is) : now.is, message: now.trouble }
        },
        // Connections may outlive the open vault by a moment, on the way out.
        keysOf: (id) => openCoreOrNull()?.clients.keysOf(id) ?? null,
        describe: (id) => openCoreOrNull()?.clients.get(id) ?? null,
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
          const open = openCoreOrNull()
          if (open === null) return
          open.clients.disconnected(caller.clientId)
          if (caller.standing === 'unverified') void open.approvals.endWhere((other) => other.connection === id, 'withdrawn')
          events.emit('changed', { what: 'clients' })
        },
      },
    })
    if (options.recover) opening.recover(options.recover)
    await opening.start()
  } catch (error) {
    await socket?.close()
    guard.close()
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
      const closing = createClosing()
      // The last one first: the lock goes when nothing of ours is open any more.
      closing.add(lock.release)
      closing.add(guard.close)
      closing.add(async () => {
        const open = openCoreOrNull()
        opening.shut()
        await open?.close(why)
      })
      closing.add(http.close)
      closing.add(otherUsers.close)
      closing.add(() => socket?.close())
      closing.add(() => openCoreOrNull()?.approvals.endWhere(() => true, 'quit'))
      closing.add(pause.stop)
      closing.add(opening.stop)
      await closing.close()
    },
  }
}
