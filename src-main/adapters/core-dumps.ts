// A crash must not write a value to disk. The limit on core files is up to whoever starts a process, and a crash reporter may ignore it:
// let it find no memory to save.

import { writeFileSync } from 'node:fs'

export function leaveNoMemoryBehind(): void {
  try {
    writeFileSync('/proc/self/coredump_filter', '0')
  } catch {
    // Not Linux, or no /proc.
  }
}
