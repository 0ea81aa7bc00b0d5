import { useState } from 'react'
import { sentence } from '../link/host-link.ts'

export interface Action {
  busy: boolean
  error: string | null
  /** False when it failed, and `error` says why. One at a time: what comes meanwhile is not done. */
  run: (work: () => Promise<unknown>) => Promise<boolean>
  clear: () => void
}

/** Something a person does that the host may refuse. */
export function useAction(): Action {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string | null>(null)
  return {
    busy,
    error,
    run: async (work) => {
      if (busy) return false
      setBusy(true)
      setError(null)
      try {
        await work()
        return true
      } catch (failure) {
        setError(sentence(failure))
        return false
      } finally {
        setBusy(false)
      }
    },
    clear: () => setError(null),
  }
}
