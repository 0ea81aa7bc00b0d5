// An AI client that ends closes our standard input, and we leave. Unless another program holds it too, such as one that the client
// started after us: then nothing would ever tell us.

/** Seldom enough to cost nothing, often enough to be gone within five seconds. */
const CHECK_EVERY_MS = 2000

/**
 * Only a change counts: a launcher such as setsid may have ended before we began, and then we have had another parent from the
 * start. Windows never changes it; there the end of standard input has to do.
 */
export function watchParent(onGone: () => void, parent: () => number = () => process.ppid): void {
  const first = parent()
  const timer = setInterval(() => {
    if (parent() === first) return
    clearInterval(timer)
    onGone()
  }, CHECK_EVERY_MS)
  timer.unref()
}
