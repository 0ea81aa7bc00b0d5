// Before anything else of ours runs: `--remote-debugging-port` would open the windows to any local program, and no fuse of
// Electron's covers it.

import { url as inspectorUrl } from 'node:inspector'
import { app } from 'electron'
import { DROPPED, unknownSwitch } from './switches.ts'

// Whoever inspects the main process already needs no other way in. Only the tests' package can be inspected: it differs from the one
// that is shipped in the fuse that forbids it, and in nothing else.
if (app.isPackaged && inspectorUrl() === undefined) {
  for (const name of DROPPED) app.commandLine.removeSwitch(name)
  // It would start an inspector where the fuse is not set, and end us where it is.
  process.on('SIGUSR1', () => {})
  const unknown = unknownSwitch(process.argv.slice(1))
  if (unknown !== null) {
    process.stderr.write(`countersign: unknown switch ${unknown}\n`)
    app.exit(2)
    // exit() lets the rest of this script run; nothing of it may.
    process.exit(2)
  }
}
