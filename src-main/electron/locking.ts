import { powerMonitor } from 'electron'

const LOOK_MS = 1000
/** We ask whether the screen is locked, not how long the person has been idle. */
const NEVER_IDLE = 2 ** 30

/** Calls back when the computer goes to sleep or its screen is locked. */
export function onLocked(locked: () => void): () => void {
  powerMonitor.on('suspend', locked)
  powerMonitor.on('lock-screen', locked)
  // Linux tells nobody of a locked screen, but answers when asked.
  const watch = process.platform === 'linux' ? watchScreen(locked) : null
  return () => {
    powerMonitor.off('suspend', locked)
    powerMonitor.off('lock-screen', locked)
    if (watch !== null) clearInterval(watch)
  }
}

function watchScreen(locked: () => void): NodeJS.Timeout {
  let was = false
  return setInterval(() => {
    const is = powerMonitor.getSystemIdleState(NEVER_IDLE) === 'locked'
    if (is && !was) locked()
    was = is
  }, LOOK_MS)
}
