// Which pieces of our own code have run since we last looked, as V8 counts them.

import { Session, type Profiler } from 'node:inspector'

export interface Reach {
  /** Counting makes everything slow, so it is not always done. */
  start: () => void
  stop: () => void
  /** Whether something ran that had never run before; `keep` remembers it. */
  take: (options?: { keep: boolean }) => boolean
  size: () => number
}

export function watchReach(): Reach {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  const reached = new Set<string>()

  function ran(): string[] {
    let found: Profiler.ScriptCoverage[] = []
    // Answered before `post` returns: the inspector of one's own thread is no other process.
    session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error === null) found = result
    })
    return found
      .filter(({ url }) => /\/src-(?:main|shared)\//.test(url))
      .flatMap(({ scriptId, functions }) =>
        functions.flatMap(({ ranges }) =>
          ranges.filter(({ count }) => count > 0).map(({ startOffset, endOffset }) => `${scriptId}:${startOffset}:${endOffset}`),
        ),
      )
  }

  return {
    start: () => session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true }),
    stop: () => session.post('Profiler.stopPreciseCoverage'),
    take({ keep } = { keep: true }) {
      const fresh = ran().filter((piece) => !reached.has(piece))
      if (keep) for (const piece of fresh) reached.add(piece)
      return fresh.length > 0
    },
    size: () => reached.size,
  }
}
