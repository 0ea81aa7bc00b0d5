// Before anything else of ours runs: a debugger in the main process, or `--remote-debugging-port`, would open the windows to any local
// program, and of the two no fuse of Electron's covers the second.

import { url as inspectorUrl } from 'node:inspector'
import { app } from 'electron'
import { ignoreDebugSignal, NOT_UNDER_A_DEBUGGER } from '../adapters/inspector.ts'
import { DROPPED, unknownSwitch } from './switches.ts'

/**
 * Playwright drives an app through what is refused here, so our tests run a copy of the built app in which this one word is another
 * (scripts/desktop-twin.ts). It is no option: nothing that is read while the program runs changes it.
 */
const FUSES = { inspector: 'inspector-refused' }

if (FUSES.inspector.endsWith('refused')) {
  ignoreDebugSignal()
  if (inspectorUrl() !== undefined) end(NOT_UNDER_A_DEBUGGER)
  for (const name of DROPPED) app.commandLine.removeSwitch(name)
  const unknown = unknownSwitch(process.argv.slice(1))
  if (unknown !== null) end(`unknown switch ${unknown}`)
}

function end(why: string): never {
  process.stderr.write(`countersign: ${why}\n`)
  app.exit(2)
  // exit() lets the rest of this script run; nothing of it may.
  process.exit(2)
}
