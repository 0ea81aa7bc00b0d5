// The bridge's line to the host: made in the background, made again when it breaks, and started at the other end if need be.

import { CLIENT_ID } from '../../src-shared/client.ts'
import { readKey } from '../adapters/key-files.ts'
import { dataFolder, socketPath, type Env } from '../adapters/paths.ts'
import { findStartCommand, startHost } from '../adapters/start-command.ts'
import { connectHost, LinkError, type HostLink } from '../link/connect.ts'
import { FolderRefused } from '../link/trust.ts'

export interface HostLineOptions {
  client: string | null
  env: Env
  /** Where this program lies: a headless host may lie beside it. */
  programFolder: () => string
  onNames: () => void
  /** The host reads again, or is gone: what was held back may go on. */
  onRelief: () => void
  /** One line for the client's log. */
  log: (line: string) => void
}

export interface HostLine {
  /** Begins to connect. Not needed before the first `get`, but saves it the wait. */
  begin: () => void
  /** The link, at once or within the time a call waits for its host; rejects with LinkError. */
  get: () => Promise<HostLink>
  /** Bytes that wait for the host to read. */
  queued: () => number
  close: () => void
}

/** Three seconds are promised, and the answer has a way to go. */
const CALL_WAITS_MS = 2900
/** Shorter, so that a call to a host that hangs can be told so. */
const HANDSHAKE_MS = 2500
const LOOK_AGAIN_MS = 1000
/** While somebody waits, or a host is on its way. */
const LOOK_SOON_MS = 50
/** A host that was started gets this long before another start is tried. */
const START_AGAIN_MS = 10_000

export function createHostLine({ client, env, programFolder, onNames, onRelief, log }: HostLineOptions): HostLine {
  let link: HostLink | null = null
  let running = false
  let closed = false
  let wasLinked = false
  /** A host that its person has quit is not called back by a bridge that merely stands by. */
  let startUnasked = true
  let startedAt: number | null = null
  let lastFailure: LinkError | null = null
  let wakeUp: () => void = () => undefined
  const waiters = new Set<{ resolve: (link: HostLink) => void; reject: (error: LinkError) => void }>()

  async function connect(): Promise<HostLink> {
    const folder = dataFolder(env)
    const options = { socketPath: socketPath(folder), kind: 'bridge', timeoutMs: HANDSHAKE_MS } as const
    if (client === null) return connectHost({ ...options, client: null })
    for (;;) {
      const key = CLIENT_ID.test(client) ? readKey(folder, client) : null
      if (key === null) throw new LinkError('refused', 'There is no key for this registration.')
      try {
        return await connectHost({ ...options, client: { id: client, key } })
      } catch (error) {
        // A key may be replaced between our look at it and our proof; then the one that lies there now is the one to use.
        const replaced = readKey(folder, client)?.equals(key) === false
        if (!(error instanceof LinkError) || error.code !== 'refused' || !replaced) throw error
      }
    }
  }

  async function start(): Promise<void> {
    const wanted = startUnasked || waiters.size > 0
    const onItsWay = startedAt !== null && performance.now() - startedAt < START_AGAIN_MS
    if (!wanted || onItsWay || env['COUNTERSIGN_NO_START'] === '1') return
    startUnasked = false
    startedAt = performance.now()
    const command = findStartCommand(dataFolder(env), programFolder())
    if (command !== null) await startHost(command, env)
  }

  function linked(made: HostLink): void {
    link = made
    lastFailure = null
    startUnasked = false
    startedAt = null
    made.onEvent((event) => {
      if (event === 'names') onNames()
    })
    made.onDrain(onRelief)
    made.onClose(() => {
      link = null
      onRelief()
      run()
    })
    for (const { resolve } of waiters) resolve(made)
    waiters.clear()
    // Names may have changed while nobody told us.
    if (wasLinked) onNames()
    wasLinked = true
  }

  /** Waiting helps when the host is on its way, or has come and is still opening its keychain; any other refusal is an answer. */
  function failed(error: LinkError): void {
    lastFailure = error
    if (error.code === 'absent' || error.code === 'locked') return
    for (const { reject } of waiters) reject(error)
    waiters.clear()
  }

  async function attempt(): Promise<void> {
    try {
      const made = await connect()
      if (closed) made.close()
      else linked(made)
    } catch (error) {
      failed(asLinkError(error))
      if (error instanceof LinkError && error.code === 'absent')
        await start().catch((reason: unknown) => log(`cannot start Countersign: ${String(reason)}`))
    }
  }

  async function keepTrying(): Promise<void> {
    const settled = (): boolean => link !== null || closed
    while (!settled()) {
      await attempt()
      if (!settled()) await pause()
    }
  }

  function pause(): Promise<void> {
    const onItsWay = startedAt !== null && performance.now() - startedAt < CALL_WAITS_MS
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, waiters.size > 0 || onItsWay ? LOOK_SOON_MS : LOOK_AGAIN_MS)
      wakeUp = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  function run(): void {
    if (running || closed) return wakeUp()
    running = true
    void keepTrying().finally(() => (running = false))
  }

  return {
    begin: run,
    get() {
      if (link !== null) return Promise.resolve(link)
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiters.delete(waiter)
          reject(lastFailure ?? new LinkError('absent', 'The host did not come in time.'))
        }, CALL_WAITS_MS)
        const waiter = {
          resolve: (made: HostLink) => (clearTimeout(timer), resolve(made)),
          reject: (error: LinkError) => (clearTimeout(timer), reject(error)),
        }
        waiters.add(waiter)
        run()
      })
    },
    queued: () => link?.queued() ?? 0,
    close() {
      closed = true
      link?.close()
      wakeUp()
    },
  }
}

function asLinkError(error: unknown): LinkError {
  if (error instanceof LinkError) return error
  const sentence = error instanceof FolderRefused ? error.message : 'Countersign cannot read its own folder; look at its permissions.'
  return new LinkError('unsafe', sentence)
}
