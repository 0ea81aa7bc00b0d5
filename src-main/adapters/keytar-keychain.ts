// The OS keychain. What keytar does in trouble decides the shape of this file (all of it was seen): a locked keyring answers
// "nothing there" instead of an error; after its daemon was restarted keytar never works again in that process; a hung daemon
// holds a call for ever. So there is a sentinel item that tells locked from empty, any answer that is not clean costs the helper
// its life, and every call has a limit.

import { KeychainError, type Keychain } from '../host/ports.ts'
import { createHelperLine, forkHelper, HelperFault, type Ask, type HelperLine, type HelperProcess } from './keychain-process.ts'

const SENTINEL = 'sentinel'
const SENTINEL_VALUE = 'Countersign keeps its secrets here.'

/** Windows takes no more in one item. */
const MAX_BYTES = 2560

/** Ten seconds are promised to whoever waits: their answer takes the rest. */
const TIMEOUT_MS = 9800

export interface KeytarOptions {
  service: string
  helperPath: string
  /** From the moment a call is made, its time in the queue included. */
  timeoutMs?: number
  env?: NodeJS.ProcessEnv
  /** How the helper is started where Node's fork does not serve. */
  fork?: (helperPath: string) => HelperProcess
}

/** `known`: we have been here before, so a keychain without our sentinel is locked, not new. Rejects with KeychainError. */
export async function openKeytarKeychain(options: KeytarOptions, { known }: { known: boolean }): Promise<Keychain> {
  const { service, helperPath, timeoutMs = TIMEOUT_MS, env = process.env, fork = (file: string) => forkHelper(file, env) } = options
  const line = createHelperLine(() => fork(helperPath))
  const inTurn = createTurns(line, timeoutMs)
  /** Reads that nobody has begun. */
  const awaited = new Map<string, Promise<string | null>>()
  let closed = false

  const call = <T>(work: (items: Items) => Promise<T>): Promise<T> =>
    closed ? Promise.reject(new KeychainError('unavailable', 'it has been closed')) : inTurn((ask) => work(itemsOf(service, ask)))

  /** Whoever wants an item that is about to be read shares that reading: fifty clients at once would queue for longer than a call may take. */
  const get = (account: string): Promise<string | null> => {
    const joined = awaited.get(account)
    if (joined !== undefined) return joined
    const reading = call((items) => {
      awaited.delete(account)
      return items.get(account)
    })
    awaited.set(account, reading)
    // Also one that was given up before its turn came.
    const over = () => {
      if (awaited.get(account) === reading) awaited.delete(account)
    }
    reading.then(over, over)
    return reading
  }

  const close = async () => {
    closed = true
    await inTurn.idle()
    line.drop('it has been closed')
  }

  try {
    await call((items) => items.meet(known))
  } catch (error) {
    await close()
    throw error
  }
  return {
    kind: 'keychain',
    get,
    set: async (account, value) => {
      const bytes = Buffer.byteLength(value)
      // keytar would cut at the NUL and say nothing.
      if (bytes === 0 || bytes > MAX_BYTES || value.includes('\0'))
        throw new Error(`A keychain item holds 1 to ${MAX_BYTES} bytes without NUL.`)
      await call((items) => items.set(account, value))
    },
    delete: (account) => call((items) => items.delete(account)),
    close,
  }
}

/** Only looks: whether a keychain answers and, where we have been before, whether it is open. Rejects with KeychainError. */
export async function lookAtKeytarKeychain(options: KeytarOptions, { known }: { known: boolean }): Promise<void> {
  const { service, helperPath, timeoutMs = TIMEOUT_MS, env = process.env, fork = (file: string) => forkHelper(file, env) } = options
  const line = createHelperLine(() => fork(helperPath))
  try {
    await createTurns(line, timeoutMs)((ask) => (known ? itemsOf(service, ask).meet(true) : itemsOf(service, ask).look()))
  } finally {
    line.drop('it has been closed')
  }
}

type Items = ReturnType<typeof itemsOf>

function itemsOf(service: string, ask: Ask) {
  const read = async (account: string): Promise<string | null> => {
    const reply = await ask({ op: 'get', service, account })
    if (reply.op !== 'get') throw new HelperFault('its helper answered another question')
    return reply.value
  }

  const expectUnlocked = async (): Promise<void> => {
    if ((await read(SENTINEL)) === null) throw new KeychainError('locked', 'the keychain is locked')
  }

  const write = async (account: string, value: string): Promise<void> => {
    await ask({ op: 'set', service, account, value }).catch(withoutValue)
    // Success is what can be read back, not what was reported.
    if ((await read(account)) !== value) throw new HelperFault('it did not keep what was written')
  }

  return {
    get: async (account: string): Promise<string | null> => {
      const value = await read(account)
      if (value === null) await expectUnlocked()
      return value
    },
    set: async (account: string, value: string): Promise<void> => {
      try {
        await write(account, value)
      } catch (error) {
        // A dead keychain fails here as well; a locked one answers.
        if (error instanceof HelperFault) await expectUnlocked()
        throw error
      }
    },
    delete: async (account: string): Promise<boolean> => {
      const reply = await ask({ op: 'delete', service, account })
      if (reply.op !== 'delete') throw new HelperFault('its helper answered another question')
      if (!reply.deleted) await expectUnlocked()
      return reply.deleted
    },
    look: async (): Promise<void> => void (await read(SENTINEL)),
    meet: async (known: boolean): Promise<void> => {
      if (known) return expectUnlocked()
      if ((await read(SENTINEL)) !== null) return
      await ask({ op: 'set', service, account: SENTINEL, value: SENTINEL_VALUE })
      if ((await read(SENTINEL)) !== SENTINEL_VALUE) throw new HelperFault('it did not keep what was written')
    },
  }
}

type Turns = (<T>(work: (ask: Ask) => Promise<T>) => Promise<T>) & { idle: () => Promise<void> }

/**
 * One call at a time. Whoever waits behind a hanging call gets the turn as soon as that call is cut off, and fails by a limit of
 * their own that counts from when they called: nobody waits longer than `timeoutMs`, and a slow keychain is not killed for a queue.
 */
function createTurns(line: HelperLine, timeoutMs: number): Turns {
  const late = () => new KeychainError('unavailable', `no answer within ${Math.ceil(timeoutMs / 1000)} s; it may be waiting to be unlocked`)
  let last: Promise<void> = Promise.resolve()

  const perform = async <T>(work: (ask: Ask) => Promise<T>): Promise<T> => {
    let expired = false
    // After the limit nothing more is asked on this call's behalf.
    const ask: Ask = (question) => (expired ? Promise.reject(new HelperFault('no answer')) : line.ask(question))
    const limit = setTimeout(() => {
      expired = true
      line.drop('no answer')
    }, timeoutMs)
    const once = async () => {
      try {
        return await work(ask)
      } catch (error) {
        line.drop('an earlier call failed')
        throw expired ? late() : explain(error)
      }
    }
    try {
      // A seasoned helper may only have outlived its keychain: a new one decides.
      const seasoned = line.seasoned()
      return await once().catch((error: unknown) => {
        if (!seasoned || expired) throw error
        return once()
      })
    } finally {
      clearTimeout(limit)
    }
  }

  const inTurn = <T>(work: (ask: Ask) => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      let waiting = true
      const limit = setTimeout(() => {
        waiting = false
        reject(late())
      }, timeoutMs)
      last = last.then(async () => {
        if (!waiting) return
        await perform(work).then(resolve, reject)
        clearTimeout(limit)
      })
    })
  return Object.assign(inTurn, { idle: () => last })
}

/** What keytar reports, as the end of "The keychain is not available: …". */
function explain(error: unknown): unknown {
  if (!(error instanceof HelperFault)) return error
  return (
    recognise(error.message) ?? new KeychainError('unavailable', error.message.replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, ' ').slice(0, 120))
  )
}

function recognise(said: string): KeychainError | null {
  if (/locked|dismissed|cancell?ed|interaction is not allowed/i.test(said)) return new KeychainError('locked', 'the keychain is locked')
  if (/not provided by any|ServiceUnknown|has no owner/i.test(said))
    return new KeychainError('unavailable', 'no keyring service is running')
  if (/could not connect|connection is closed|autolaunch|transport/i.test(said))
    return new KeychainError('unavailable', 'there is no D-Bus session bus')
  return null
}

/** Nobody promises that an unknown error of a keychain does not quote what it was given. */
function withoutValue(error: unknown): never {
  throw error instanceof HelperFault && recognise(error.message) === null ? new HelperFault('it refused to store the item') : error
}
