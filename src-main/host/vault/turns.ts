/** Work on one name happens in the order it was asked for; different names do not wait for each other. */
export interface Turns {
  take: <T>(name: string, work: () => Promise<T>) => Promise<T>
  idle: () => Promise<void>
}

export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>()
  return {
    take: (name, work) => {
      const mine = (last.get(name) ?? Promise.resolve()).then(work)
      // The next in line waits for the end of this turn, however it ends; its outcome belongs to whoever took the turn.
      const ended = mine.then(
        () => {},
        () => {},
      )
      last.set(name, ended)
      void ended.then(() => {
        if (last.get(name) === ended) last.delete(name)
      })
      return mine
    },
    idle: async () => {
      while (last.size > 0) await Promise.all(last.values())
    },
  }
}
