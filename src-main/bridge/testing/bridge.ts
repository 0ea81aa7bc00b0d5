// The bridge as of an installation of its own: it starts the hosts that lie beside it, which here is the test's.

import { openStdin } from '../stdin.ts'
import { runBridge } from '../run.ts'

runBridge({
  client: null,
  env: process.env,
  programFolder: () => import.meta.dirname,
  stdin: openStdin(),
  stdout: process.stdout,
  log: (line) => process.stderr.write(`countersign: ${line}\n`),
  exit: (code) => process.exit(code),
})
