// A whole conversation on the local socket, a line each: answered, refused or cut off, while a registered client is served on.

import { connect } from 'node:net'
import { expectNoValue, openFuzzDesk } from '../desk.ts'
import { expectOwn, idsIn, type Answer } from '../ids.ts'
import { inTime, promise, shapeOf, type Target } from '../target.ts'
import { cli } from '../../support/cli.ts'
import { RPC_WORDS } from './page-rpc.ts'

/** Half a handshake gets no answer for seconds. */
const SILENT_MS = 60
const QUIET_MS = 15
const EVERY = 100

export const socket: Target = {
  name: 'socket',
  words: [
    ...RPC_WORDS,
    '\n',
    '"hello":',
    '"v":1',
    '"client":null',
    '"kind":"bridge"',
    '"kind":"cli"',
    `"nc":"${'11'.repeat(32)}"`,
    '"proof":',
    '"pid":1',
    '"ppid":1',
    '"cancel":',
    '"resources.read"',
    '"names.complete"',
    '"tools.rejected"',
  ],
  fewRuns: 150,
  inside: false,
  async open(atEnd) {
    const desk = await openFuzzDesk(atEnd)
    let taken = 0

    function talk(input: Buffer): Promise<string> {
      return new Promise((resolve) => {
        let heard = ''
        const line = connect(desk.ready.socket)
        let quiet = setTimeout(() => line.destroy(), SILENT_MS)
        line.on('connect', () => line.write(input))
        line.setEncoding('utf8').on('data', (text: string) => {
          heard += text
          clearTimeout(quiet)
          quiet = setTimeout(() => line.destroy(), QUIET_MS)
        })
        line.on('error', () => {})
        line.on('close', () => {
          clearTimeout(quiet)
          resolve(heard)
        })
      })
    }

    return {
      async take(input) {
        const heard = await inTime('the end of a conversation', talk(input))
        expectNoValue('an answer', heard)
        const sent = new Set(idsIn(input))
        // The last line may have been cut by our own leaving.
        const told = heard
          .split('\n')
          .slice(0, -1)
          .map((text) => judge(JSON.parse(text) as Heard, sent))
        if (++taken % EVERY === 0) {
          const { code } = await inTime('the command line', cli(desk.home, ['status', '--json']))
          promise(code === 0, `the command line is served: ${code}`)
        }
        return shapeOf(told.join(' '))
      },
      inspect: desk.inspect,
    }
  },
}

type Heard = Answer & { ns?: unknown; welcome?: unknown; event?: unknown; waiting?: unknown }

const REFUSALS = ['locked', 'damaged', 'new', 'refused', 'version']

function judge(message: Heard, sent: ReadonlySet<string>): string {
  if (message.id === undefined) {
    const code = message.error?.code
    promise(message.error === undefined || REFUSALS.includes(String(code)), `a refusal says why: ${JSON.stringify(message)}`)
    return message.error === undefined ? Object.keys(message).join() : `refused ${String(code)}`
  }
  promise(message.error?.code !== 'internal', `nothing is a mistake of ours: ${JSON.stringify(message)}`)
  return expectOwn(message, sent)
}
