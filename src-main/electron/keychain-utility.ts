// The keychain helper as an Electron utility process: there is no fork of ourselves once the packaged app refuses to run as Node.

import { utilityProcess } from 'electron'
import path from 'node:path'
import { withoutNodeOptions } from '../adapters/inspector.ts'
import type { HelperReply } from '../adapters/keychain-helper.ts'
import type { HelperProcess } from '../adapters/keychain-process.ts'

export function forkKeychain(helperPath: string): HelperProcess {
  const child = utilityProcess.fork(path.join(path.dirname(helperPath), 'keychain-utility.js'), [], {
    env: withoutNodeOptions(process.env),
    stdio: 'ignore',
    serviceName: 'Countersign keychain',
  })
  let killed = false
  // Not kill(): that asks politely, and a helper that hangs does not listen. Before it runs there is no pid to kill.
  const end = () => {
    if (child.pid !== undefined) process.kill(child.pid, 'SIGKILL')
  }
  child.once('spawn', () => {
    if (killed) end()
  })
  return {
    send: (request) => child.postMessage(request),
    // The helper is our own file and speaks this type alone.
    onReply: (listener) =>
      child.on('message', (reply) => {
        if (!killed) listener(reply as HelperReply)
      }),
    onExit: (listener) => child.once('exit', listener),
    kill: () => {
      killed = true
      end()
    },
  }
}
