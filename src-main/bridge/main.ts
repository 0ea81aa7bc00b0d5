// The stdio server that AI clients launch. Handshake, tools/list and ping are answered before anything else is looked at; the
// line to the host is made meanwhile. Only protocol messages ever go to stdout.

// oxlint-disable-next-line import/no-unassigned-import -- It has to run before anything else, and that is all it does.
import '../adapters/no-inspector.ts'
import { forbidCoreFiles, leaveNoMemoryBehind } from '../adapters/core-dumps.ts'
import { readArguments } from './arguments.ts'
import { runBridge } from './run.ts'
import { openStdin } from './stdin.ts'

/** Standard error is opened when there is something to say: that takes as long as a handshake. */
function log(line: string): void {
  const { stderr } = process
  if (stderr.listenerCount('error') === 0) stderr.on('error', () => undefined)
  stderr.write(`countersign: ${line}\n`)
}

// Its text may quote what was sent, and stderr ends up in the client's log: only the kind of the error is told.
process.on('uncaughtException', (error) => {
  log(`the bridge made a mistake and ends (${error instanceof Error ? error.name : typeof error})`)
  process.exit(1)
})

leaveNoMemoryBehind()

const { client, unknown } = readArguments(process.argv.slice(2))
for (const argument of unknown) log(`ignoring the argument ${JSON.stringify(argument)}`)

runBridge({
  client,
  env: process.env,
  programFolder: () => import.meta.dirname,
  stdin: openStdin(),
  stdout: process.stdout,
  log,
  exit: (code) => process.exit(code),
})

// What the start need not wait for. AI clients start several of us, and most wait all day. Under load V8 would let the space for
// short-lived objects grow to three times what the whole rest takes and keep it; collecting a little more often costs less than
// that memory would.
setTimeout(() => {
  void forbidCoreFiles()
  void import('node:v8').then(({ setFlagsFromString }) => setFlagsFromString('--semi-space-growth-factor=1'))
}, 250).unref()
