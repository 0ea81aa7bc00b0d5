// Becomes dist/keychain-utility.js: lends the keychain helper, written for Node's fork, the line of an Electron utility process.

// oxlint-disable-next-line import/no-unassigned-import -- The helper serves whoever sends it a message.
import '../adapters/keychain-helper.ts'

const { parentPort } = process
process.send = (reply: unknown) => {
  parentPort.postMessage(reply)
  return true
}
parentPort.on('message', ({ data }) => process.emit('message', data, undefined))
