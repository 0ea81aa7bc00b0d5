// Parts that are closed together, the one opened last first. One that cannot be closed keeps no other open.

export interface Closing {
  add: (close: () => unknown) => void
  /** Closes all of them; throws what went wrong first when it is through. */
  close: () => Promise<void>
}

export function createClosing(): Closing {
  let parts: (() => unknown)[] = []
  return {
    add: (close) => void parts.push(close),
    async close() {
      const failures: unknown[] = []
      const closing = parts.toReversed()
      parts = []
      for (const part of closing) {
        try {
          await part()
        } catch (error) {
          failures.push(error)
        }
      }
      if (failures.length > 0) throw failures[0]
    },
  }
}
