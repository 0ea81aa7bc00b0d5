// The rows of a long list, a page at a time. What is in view is loaded, with a page more on either side; what was passed over while
// scrolling quickly is not.

const SIZE = 100
/** Enough to scroll back a while; the rest is asked for again. */
const KEPT = 24
const AT_ONCE = 2

export interface Pages<T> {
  rowAt: (index: number) => T | undefined
  /** These rows are in view, up to `end`. */
  want: (first: number, end: number) => void
  /** What is in view is loaded once more, and shown as it was until then. The rest is forgotten. */
  renew: () => void
  subscribe: (listener: () => void) => () => void
  /** Grows with every change. */
  version: () => number
  close: () => void
}

export interface PagesOptions<T> {
  rows: number
  /** The first page, where it is there already. */
  first?: T[]
  load: (skip: number, limit: number) => Promise<T[]>
  failed: (error: unknown) => void
}

export function createPages<T>({ rows, first, load, failed }: PagesOptions<T>): Pages<T> {
  const held = new Map<number, T[]>(first === undefined ? [] : [[0, first]])
  const stale = new Set<number>()
  const loading = new Set<number>()
  const listeners = new Set<() => void>()
  const last = Math.max(0, Math.ceil(rows / SIZE) - 1)
  let inView: [number, number] = [0, 0]
  let version = 0
  let closed = false

  const wanted = (): number[] => {
    const [from, to] = inView
    const view = range(from, to)
    return [...view, to + 1, from - 1].filter((page) => page >= 0 && page <= last)
  }

  function work(): void {
    if (closed) return
    const next = wanted().find((page) => (!held.has(page) || stale.has(page)) && !loading.has(page))
    if (next === undefined || loading.size >= AT_ONCE) return
    void fetch(next)
    work()
  }

  async function fetch(page: number): Promise<void> {
    loading.add(page)
    stale.delete(page)
    try {
      const loaded = await load(page * SIZE, SIZE)
      if (closed) return
      // Last used, last forgotten.
      held.delete(page)
      held.set(page, loaded)
      forget()
      version += 1
      for (const listener of listeners) listener()
    } catch (error) {
      // The next scroll or renewal tries again; at once would be in vain.
      if (!closed) failed(error)
      return
    } finally {
      loading.delete(page)
    }
    work()
  }

  function forget(): void {
    const keep = new Set(wanted())
    for (const page of held.keys()) {
      if (held.size <= KEPT) return
      if (!keep.has(page)) held.delete(page)
    }
  }

  return {
    rowAt: (index) => held.get(Math.floor(index / SIZE))?.[index % SIZE],
    want: (first, end) => {
      inView = [Math.floor(first / SIZE), Math.floor(Math.max(first, end - 1) / SIZE)]
      work()
    },
    renew: () => {
      const keep = new Set(range(...inView))
      for (const page of held.keys()) {
        if (keep.has(page)) stale.add(page)
        else held.delete(page)
      }
      work()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    version: () => version,
    close: () => {
      closed = true
    },
  }
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, n) => from + n)
}
