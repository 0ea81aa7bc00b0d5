// A line to the keychain helper: started when first needed, ended when in doubt, one request at a time.

import { fork } from 'node:child_process'
import { NO_CORE_IN_SHELL } from './core-dumps.ts'
import { noDebugSignal, withoutNodeOptions } from './inspector.ts'
import type { HelperReply, HelperRequest } from './keychain-helper.ts'

/** A running helper, however it was started: Node's fork here, a utility process in a desktop shell. */
export interface HelperProcess {
  send: (request: HelperRequest) => void
  onReply: (listener: (reply: HelperReply) => void) => void
  onExit: (listener: () => void) => void
  kill: () => unknown
}

/** The keychain said no, or the helper ended. */
export class HelperFault extends Error {
  override name = 'HelperFault'
}

type Question = HelperRequest extends infer Request ? (Request extends HelperRequest ? Omit<Request, 'id'> : never) : never

export type Ask = (question: Question) => Promise<HelperReply>

export interface HelperLine {
  /** Rejects with HelperFault. Never two at once. */
  ask: Ask
  /** The running helper has answered before, so it may be left over from a keychain that has been restarted since. */
  seasoned: () => boolean
  /** Ends the helper, and with it an open question; the next question starts a new one. */
  drop: (reason: string) => void
}

export function createHelperLine(start: () => HelperProcess): HelperLine {
  let helper: HelperProcess | null = null
  let answered = false
  let lastId = 0
  let open: { id: number; resolve: (reply: HelperReply) => void; reject: (fault: HelperFault) => void } | null = null

  const fail = (reason: string) => {
    open?.reject(new HelperFault(reason))
    open = null
  }

  const running = (): HelperProcess => {
    if (helper !== null) return helper
    const started = start()
    helper = started
    answered = false
    started.onReply((reply) => {
      if (helper !== started || open?.id !== reply.id) return
      const { resolve, reject } = open
      open = null
      if (reply.op === 'fault') return reject(new HelperFault(reply.reason))
      answered = true
      resolve(reply)
    })
    started.onExit(() => {
      if (helper !== started) return
      helper = null
      fail('its helper process ended unexpectedly')
    })
    return started
  }

  return {
    ask: (question) =>
      new Promise((resolve, reject) => {
        const id = ++lastId
        open = { id, resolve, reject }
        try {
          running().send({ ...question, id })
        } catch {
          fail('its helper process cannot be started')
        }
      }),
    seasoned: () => helper !== null && answered,
    drop: (reason) => {
      helper?.kill()
      helper = null
      fail(reason)
    },
  }
}

/** A crash must not write a core file that holds a value; this process has values from its first moment on. */
const NO_CORE_FILES = ['-c', `${NO_CORE_IN_SHELL}; exec "$@"`, 'sh']

export function forkHelper(helperPath: string, environment: NodeJS.ProcessEnv, node = process.execPath): HelperProcess {
  const posix = process.platform !== 'win32'
  const child = fork(helperPath, [], {
    env: withoutNodeOptions(environment),
    execPath: posix ? '/bin/sh' : node,
    execArgv: [...(posix ? [...NO_CORE_FILES, node] : []), ...(node === process.execPath ? noDebugSignal() : [])],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    windowsHide: true,
  })
  // An idle helper keeps nobody alive; an open question has a timer that does.
  child.unref()
  child.channel?.unref()
  return {
    send: (request) => {
      child.send(request, () => {
        // A helper that is gone is reported by its exit.
      })
    },
    // The helper is our own file and speaks this type alone.
    onReply: (listener) => child.on('message', (reply) => listener(reply as HelperReply)),
    onExit: (listener) => {
      child.on('exit', listener)
      child.on('error', listener)
    },
    kill: () => child.kill('SIGKILL'),
  }
}
