// The entry of dist/headless.js. The host needs node:sqlite; where the Node that was asked is older, the project's own Node 24 takes
// over. The host itself is a file of its own (dist/host.js), because merely loading it on an older Node fails.

// oxlint-disable-next-line import/no-unassigned-import -- It has to run before anything else, and that is all it does.
import '../adapters/no-inspector.ts'
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import path from 'node:path'
import { withoutNodeOptions } from '../adapters/inspector.ts'
import { newEnoughNode } from '../adapters/start-command.ts'

const here = import.meta.dirname
const node = newEnoughNode(here)
if (node === process.execPath) {
  createRequire(import.meta.url)(path.join(here, 'host.js'))
} else if (node === null) {
  process.stderr.write(`Countersign needs Node 22.13 or newer (this is ${process.versions.node}). Install Node 24 and start it again.\n`)
  process.exitCode = 1
} else {
  // The pipe tells the child when we are gone, however that happens.
  const child = spawn(node, process.argv.slice(1), {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { ...withoutNodeOptions(process.env), COUNTERSIGN_PARENT_FD: '3' },
  })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === null ? 1 : 128)
  })
}
