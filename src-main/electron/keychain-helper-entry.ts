// Becomes dist/keychain-utility.js: lends the keychain helper, written for Node's fork, the line of an Electron utility process.

// oxlint-disable-next-line import/no-unassigned-import -- The helper serves whoever sends it a message.
import '../adapters/keychain-helper.ts'
import { forbidCoreFiles } from '../adapters/core-dumps.ts'

// Where Node forks it, the shell on the way has done so.
void forbidCoreFiles()

const { parentPort } = process
process.send = (reply: unknown) => {
  parentPort.postMessage(reply)
  return true
}
parentPort.on('message', ({ data }) => process.emit('message', data, undefined))
