import { diskTrouble } from '../host/disk-trouble.ts'

const AGAIN_MS = 30_000

/** Without it only bridges find no host to start; a disk that takes nothing now must not end the start of this one. */
export function keepStartCommand(write: () => void, reportBug: (error: unknown) => void): void {
  try {
    write()
  } catch (error) {
    if (diskTrouble(error) === null) reportBug(error)
    else setTimeout(() => keepStartCommand(write, reportBug), AGAIN_MS).unref()
  }
}
