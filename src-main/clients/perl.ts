// Two calls that Node does not have, `renameat2` and `flock`, perl can make. Nearly every Linux and macOS has it, and where there is
// none its users do without.

import { existsSync } from 'node:fs'

const USUAL = '/usr/bin/perl'

export function perl(): string | null {
  return process.platform !== 'win32' && existsSync(USUAL) ? USUAL : null
}
