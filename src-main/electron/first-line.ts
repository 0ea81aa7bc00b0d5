// Before anything else of ours runs: `--remote-debugging-port` would open the windows to any local program, and no fuse of
// Electron's covers it.

import { app } from 'electron'
import { DROPPED, unknownSwitch } from './switches.ts'

if (app.isPackaged) {
  for (const name of DROPPED) app.commandLine.removeSwitch(name)
  const unknown = unknownSwitch(process.argv.slice(1))
  if (unknown !== null) {
    process.stderr.write(`countersign: unknown switch ${unknown}\n`)
    app.exit(2)
    // exit() lets the rest of this script run; nothing of it may.
    process.exit(2)
  }
}
