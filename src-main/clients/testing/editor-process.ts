// A process that edits one file, over and over, until it is killed; or once, as another user.
// argv: client, file, 'loop' | 'once', [uid]

import { factsOf } from '../facts.ts'
import { editConfig } from '../edit.ts'
import { Fault } from '../formats/document.ts'
import { LAUNCH } from './fixtures.ts'

const [client = '', file = '', how = '', uid] = process.argv.slice(2)
const facts = factsOf(client)
if (facts === null) throw new Error('no such client')
if (uid !== undefined) {
  process.setgid?.(Number(uid))
  process.setuid?.(Number(uid))
}

const say = (line: string) => process.stdout.write(`${line}\n`)
const add = () => editConfig(file, facts, { is: 'set', entry: facts.entry(LAUNCH) }, () => {})
const remove = () => editConfig(file, facts, { is: 'remove', ownKeys: 0, ownFile: false }, () => {})

try {
  if (how === 'once') {
    await add()
    say('done')
  }
  while (how === 'loop') {
    say('editing')
    await add()
    await remove()
  }
} catch (error) {
  say(error instanceof Fault ? `refused: ${error.message}` : `failed: ${String(error)}`)
}
